// The header `Colloquy-Arrival`: how far what came in is in an answer.

/** For OpenAPI. */
export const ARRIVAL_HEADER = {
  'Colloquy-Arrival':
    'The last arrival in the view that answered, a whole number: as `since` of the next request, of the first page ' +
    'where there are several, it asks for what came in later.',
} as const;

/** As `LastArrival` of the engine tells it. */
export function arrivalHeader(arrival: number): Record<keyof typeof ARRIVAL_HEADER, string> {
  return { 'Colloquy-Arrival': String(arrival) };
}
