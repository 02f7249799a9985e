// Times as text: ISO 8601 in the forms of databases, data frames and scrapers.

/** `2021-01-31T18:30:15Z`, `2021-01-31 18:30:15.250+02:00`, `2021-01-31 18:30`, `2021-01-31 18:30:15 UTC`. */
const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|([+-])(\d\d)(?::?(\d\d))?))?$/;

/**
 * Unix seconds, without fractions; UTC if there is no zone. null for anything else: a day without a time, a day or hour
 * that does not exist, any other format.
 */
export function isoSeconds(text: string): number | null {
  const match = ISO_TIME.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(numberOf);
  const [offsetHours = 0, offsetMinutes = 0] = match.slice(8, 10).map(numberOf);
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return null;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date.UTC reads 31 April as 1 May, and year 21 as 1921.
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    return null;
  const offset = (offsetHours * 60 + offsetMinutes) * 60;
  return date.getTime() / 1000 - (match[7] === '-' ? -offset : offset);
}

function numberOf(digits: string | undefined): number {
  return Number(digits ?? 0);
}
