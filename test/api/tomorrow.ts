// Answers as a later version may give them: a new field in every object, and codes that today's clients do not know.

/** A code that there is not. */
export const CODE_OF_TOMORROW = 'code_of_tomorrow';

/** The same answer with more fields; a problem has another code. */
export function ofTomorrow(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ofTomorrow);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    name === 'code' ? CODE_OF_TOMORROW : ofTomorrow(field),
  ]);
  return Object.fromEntries([...fields, ['field_of_tomorrow', { deep: [1, null, 'x'] }]]);
}
