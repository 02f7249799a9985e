// What a caller asks for by arrival.

/** The greatest arrival that a caller may give. */
export const MAX_SINCE = 999_999_999;

/** As a part of a question: nothing where all is asked for. */
export function sinceOf({ since = 0 }: { readonly since?: number | undefined }): { readonly since?: number } {
  return since === 0 ? {} : { since };
}
