// The field in which somebody signed in shows that it is they: with the password of their account.

import { textField } from '../views/forms.ts';
import type { Html } from '../views/html.ts';
import type { Faults } from './words.ts';

export function ownPasswordField(email: string, found: Faults): Html {
  return textField({
    name: 'password',
    label: 'Password',
    type: 'password',
    hint: `The password of ${email}, so that we know it is you.`,
    autocomplete: 'current-password',
    isRequired: true,
    error: found.password,
  });
}
