// The interface of engines fits one that is far away: such an engine passes the whole contract, whatever befalls its
// messages.

import { engineConformance } from '../engine-conformance.ts';
import { REFERENCE_DAMAGES } from '../reference-damage.ts';
import { remoteHarness } from './harness.ts';

engineConformance(remoteHarness(1, REFERENCE_DAMAGES));
