import { walkingConformance } from '../engine-conformance.ts';
import { onClusterAsUser } from './role.ts';

await onClusterAsUser('conformance: walking', walkingConformance);
