import { writingConformance } from '../engine-conformance.ts';
import { onClusterAsUser } from './role.ts';

await onClusterAsUser('conformance: writing', writingConformance);
