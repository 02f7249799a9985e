// The paths of the pages of accounts.

export const SIGN_IN_PATH = '/sign-in';
export const CODE_PATH = `${SIGN_IN_PATH}/code`;
export const SIGN_OUT_PATH = '/sign-out';
export const REGISTER_PATH = '/register';
export const LINK_PATH = '/account/link/';
export const PROFILE_PATH = '/account';
/** My API, where signing in and registering lead unless the address names another page. */
export const KEYS_PATH = `${PROFILE_PATH}/keys`;
export const SECOND_FACTOR_PATH = `${PROFILE_PATH}/second-factor`;
export const SESSIONS_PATH = `${PROFILE_PATH}/sessions`;
export const EXPORT_PATH = `${PROFILE_PATH}/export`;
export const DELETE_PATH = `${PROFILE_PATH}/delete`;
