// Numbers, times and addresses as the page shows them. Contract 8.3.

import type { Kind } from '../../model/record.ts';
import { DAY, HOUR, readableDay, readableTime } from '../../model/time.ts';
import { normaliseDomain } from '../../text/domains.ts';
import { type Html, html } from './html.ts';

const NUMBER = new Intl.NumberFormat('en-US');

/** `12,408`. */
export function count(value: number): string {
  // Most numbers of a page are small, and the formatter takes a microsecond for any.
  return value >= 0 && value < 1000 && Number.isInteger(value) ? `${value}` : NUMBER.format(value);
}

const PERCENT = new Intl.NumberFormat('en-US', { style: 'percent', maximumSignificantDigits: 3 });

/** `12.5%`, `0.071%`. */
export function percent(share: number): string {
  return PERCENT.format(share);
}

const PORTION = new Intl.NumberFormat('en-US', {
  ...{ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 },
});

/** For columns of shares: `12.5%`, `3.0%`; `< 0.1%` rather than nothing, `100%` of all alone. */
export function portion(share: number): string {
  if (share === 1) return '100%';
  if (share > 0 && share < 0.001) return '< 0.1%';
  return PORTION.format(Math.min(share, 0.999));
}

/** `1 post`, `12,408 posts`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export const KIND_TITLES: Readonly<Record<Kind, string>> = { post: 'Posts', comment: 'Comments' };

/** `12.3 MB`, `4,096 bytes`. */
export function fileSize(bytes: number): string {
  return bytes < 100_000 ? counted(Math.round(bytes), 'byte') : `${count(Math.round(bytes / 1e5) / 10)} MB`;
}

/** `YYYY-MM-DD, HH:MM:SS`, UTC; readable by programs too. */
export function dateTimeElement(time: number): Html {
  return html`<time datetime="${new Date(time * 1000).toISOString()}">${readableTime(time)}</time>`;
}

/** `YYYY-MM-DD`, UTC; readable by programs too. */
export function dayElement(time: number): Html {
  const day = readableDay(time);
  return html`<time datetime="${day}">${day}</time>`;
}

/** Sign and two decimals: `+0.43`, `-0.12`, `+0.00`. */
export function sentiment(rating: number): string {
  const rounded = Math.round(Math.abs(rating) * 100) / 100;
  return `${rating < 0 && rounded > 0 ? '-' : '+'}${rounded.toFixed(2)}`;
}

const AGES: readonly (readonly [seconds: number, name: string])[] = [
  [365.25 * DAY, 'year'],
  [30.4375 * DAY, 'month'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [60, 'minute'],
];

/** `3 years ago`; `just now` for less than a minute either way. */
export function age(time: number, now: number): string {
  if (time - now >= 60) return 'in the future';
  for (const [seconds, name] of AGES) {
    const whole = Math.floor((now - time) / seconds);
    if (whole >= 1) return `${counted(whole, name)} ago`;
  }
  return 'just now';
}

/** The address if it is one of the web; null for `javascript:`, `data:` and anything else that is not a link. */
export function webAddress(address: string | null): string | null {
  if (address === null || !/^https?:\/\//i.test(address)) return null;
  return URL.parse(address)?.href ?? null;
}

/** The punycode of a domain with letters beyond ASCII, since `xn--…` tells look-alikes apart; null for others. */
export function punycode(domain: string): string | null {
  return /^[\x20-\x7e]*$/.test(domain) ? null : normaliseDomain(domain);
}
