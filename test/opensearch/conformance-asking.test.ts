import { askingConformance } from '../engine-conformance.ts';
import { onClusterAsUser } from './role.ts';

await onClusterAsUser('conformance: asking', askingConformance);
