// What tests of accounts share.

/** 2026-11-20 00:00:00 UTC. */
export const START = 1_795_132_800;
export const ANN = 'ann@example.org';
export const PASSWORD = 'correct horse';

/** A clock that stands until it is moved. */
export class Clock {
  time = START;
  readonly now = (): number => this.time;
}

export function keyWish(fields: { email?: string; name?: string; expiresInDays?: number | null } = {}) {
  return { email: ANN, name: 'notebook', expiresInDays: null, ...fields };
}
