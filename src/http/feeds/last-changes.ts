// When documents last changed, as `Last-Modified` tells it: the second at which this process first saw the present one.

/** Of how many documents it is known; of one that was forgotten it is the present moment. */
const MAX_KNOWN = 10_000;

interface Known {
  readonly etag: string;
  /** Unix seconds. */
  readonly time: number;
}

export class LastChanges {
  readonly #known = new Map<string, Known>();

  /**
   * Unix seconds. A later document of a name always has a later time, though two came in one second: the time may then
   * lie in the future, and must not be told yet (RFC 9110, 8.8.2.1).
   */
  timeOf(name: string, etag: string, now: number): number {
    const before = this.#known.get(name);
    this.#known.delete(name);
    const isSame = before?.etag === etag;
    const known = isSame ? before : { etag, time: Math.max(now, (before?.time ?? 0) + 1) };
    this.#known.set(name, known);
    if (this.#known.size > MAX_KNOWN) {
      const [oldest] = this.#known.keys();
      this.#known.delete(oldest!);
    }
    return known.time;
  }
}
