import { largeConformance } from '../engine-large.ts';
import { onClusterAsUser } from './role.ts';

await onClusterAsUser('conformance: large', largeConformance);
