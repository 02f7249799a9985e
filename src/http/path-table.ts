// Which methods a path has, for `Allow` on requests that no route handles.

/** Filled as routes are added. Stores paths with parameters (`/account/link/:token`) by their pattern. */
export class PathTable {
  readonly #methods = new Map<string, Set<string>>();

  add(path: string, methods: string | readonly string[]): void {
    const key = normalised(path);
    const known = this.#methods.get(key) ?? new Set();
    for (const method of [methods].flat()) known.add(method);
    this.#methods.set(key, known);
  }

  /** Methods of the path of this address, sorted; null if there is no such path. */
  methodsOf(address: string): readonly string[] | null {
    const path = decoded(normalised(address.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/)[0]!));
    const exact = this.#methods.get(path);
    if (exact !== undefined) return [...exact].sort();
    for (const [pattern, methods] of this.#methods) {
      if (isMatch(pattern, path)) return [...methods].sort();
    }
    return null;
  }
}

function normalised(path: string): string {
  return path.replace(/\/$/, '') || '/';
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isMatch(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const found = path.split('/');
  return (
    pattern.includes(':') &&
    wanted.length === found.length &&
    wanted.every((piece, at) => (piece.startsWith(':') ? found[at] !== '' : piece === found[at]))
  );
}
