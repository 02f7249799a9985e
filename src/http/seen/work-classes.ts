// Classes of work, by the pattern of the path: what takes equally long for equal reasons is timed together.

/** From the first row that fits. */
const CLASSES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^\/api\/v1\/search\//, 'search'],
  [/^\/api\/v1\/(?:timeline|counts|breakdown|explain|sample|words)\//, 'analysis'],
  [/^\/api\/v1\/(?:records|thread)\//, 'records'],
  [/^\/api\/v1\/export\/.*\/schema$/, 'service'],
  [/^\/(?:api\/v1\/export\/|download$)/, 'export'],
  [/^\/(?:api\/v1\/)?datasets(?:\/|$)/, 'datasets'],
  [/^\/(?:api\/v1\/)?coverage$/, 'coverage'],
  [/^\/(?:|search|breakdown|timeline\.csv|breakdown\.csv|suggest)$/, 'search_page'],
  [/^\/(?:compare|pictures)(?:\.csv)?$/, 'analysis_page'],
  [/^\/(?:record|thread)(?:\/|$)/, 'reading_page'],
  [/^\/(?:feed\/|search\.(?:atom|json)$)/, 'feed'],
  [/^\/api\/v1\/saved(?:\/|$)/, 'saved'],
  [/^\/(?:cite|api\/v1\/citations)(?:\/|$)/, 'citations'],
  [/^\/(?:sign-in|sign-out|register|account)(?:\/|$)/, 'account_page'],
  [/^\//, 'service'],
];

/** What no route handles. */
export const NO_ROUTE = 'none';

export const CLASS_NAMES: readonly string[] = [...new Set(CLASSES.map(([, name]) => name)), NO_ROUTE];

/** `route`: the pattern of a path of the router, or NO_ROUTE. */
export function workClassOf(route: string): string {
  return CLASSES.find(([pattern]) => pattern.test(route))?.[1] ?? NO_ROUTE;
}
