// Notices about what has just been done, shown once on the page that follows.

/** Code in the cookie → text on the page. */
export const NOTICES = {
  'signed-out': 'You are signed out.',
  'signed-in-needed': 'Please sign in. You are not signed in, or your session has ended.',
  'password-changed': 'Your password has been changed. All other sessions have ended.',
  'key-revoked': 'The key has been revoked. Requests with it are now refused.',
  'key-made-already': 'That form was sent twice. Only one key has been made.',
  'saved-added': 'The search is saved.',
  'saved-renamed': 'The saved search has another name now.',
  'saved-removed': 'The saved search has been removed. If it had a feed, that has ended.',
  'saved-seen': 'Nothing is new any more.',
  'feed-made-already': 'That form was sent twice. The first address is the one that works.',
  'feed-revoked': 'The feed has been revoked. Nobody can read it any more.',
  'feed-set': 'The feed is set.',
  'session-ended': 'The session has ended.',
  'sessions-ended': 'All other sessions have ended.',
  'account-deleted': 'Your account has been deleted, with its keys, sessions and saved searches.',
  'code-over':
    'Please sign in with your password again. The time to enter a code is over, or too many were wrong.',
  'recovery-code-used': 'You signed in with a recovery code, which is used up now.',
  'second-factor-on-already': 'That form was sent twice. The second factor is on.',
  'second-factor-off': 'The second factor is off.',
  welcome: 'Your account is ready. Make a key to use the API.',
} as const;

export type NoticeCode = keyof typeof NOTICES;

export const NOTICE_COOKIE = 'colloquy_notice';
/** Seconds within which the next page must be requested. */
export const NOTICE_AGE = 60;

/** The text for a cookie's value; undefined if there is no such code. */
export function noticeOf(value: string | null): string | undefined {
  return value !== null && Object.hasOwn(NOTICES, value) ? NOTICES[value as NoticeCode] : undefined;
}
