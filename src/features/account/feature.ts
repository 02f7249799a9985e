import type { Feature } from '../../cli/feature.ts';
import {
  DELETE_PATH,
  KEYS_PATH,
  PROFILE_PATH,
  REGISTER_PATH,
  SESSIONS_PATH,
  SIGN_IN_PATH,
  SIGN_OUT_PATH,
} from './addresses.ts';

const MY_API = { path: KEYS_PATH, name: 'My API', isInHeader: true };

/** Accounts of people: registering, signing in and out, keys, sessions, second factors, leaving. */
export const feature: Feature = {
  name: 'account',
  tables: async () => ({ accounts: (await import('./credentials.ts')).CREDENTIALS }),
  onRemoval: 'keeps none',
  metrics: async () => (await import('./password.ts')).hashFamilies,
  commands: {
    accounts: async (features) => await (await import('./accounts-command.ts')).accountsCommand(features),
    keys: async () => (await import('./keys-command.ts')).keysCommand(),
  },
  pages: async () => (await import('./routes.ts')).addPages,
  account: [
    { path: PROFILE_PATH, name: 'Profile' },
    MY_API,
    { path: SESSIONS_PATH, name: 'Sessions', isLast: true },
    { path: DELETE_PATH, name: 'Export or delete', isLast: true },
  ],
  entrance: {
    ...{ signIn: SIGN_IN_PATH, register: REGISTER_PATH, home: MY_API },
    ...{ profile: PROFILE_PATH, signOut: SIGN_OUT_PATH },
    canRegister: ({ accounts, config }) => !accounts.isReadOnly && config.registration === 'open',
  },
};
