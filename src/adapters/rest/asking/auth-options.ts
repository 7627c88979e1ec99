import { z } from 'zod'
import { checkedText } from '../../../lib/checked-text.ts'
import { secret } from '../../../lib/secret.ts'
import { addressFault } from '../../shared/http-options.ts'

const Token = z.string().regex(/^[\x21-\x7e]{4,}$/, 'Must be at least 4 characters of printable ASCII, without spaces.')
const Password = z
  .string()
  .min(4)
  .regex(/^[^\p{Cc}]*$/u, 'Must not have control characters.')

/** How the system is told who asks: one of them. */
export const Auth = z
  .strictObject({
    bearer: secret(Token).optional().describe('A token, sent as Bearer.'),
    basic: z
      .strictObject({
        user: z
          .string()
          .regex(/^[^:\p{Cc}]+$/u, 'Must not have a colon or control characters.')
          .describe('The user.'),
        password: secret(Password).describe('The password.'),
      })
      .optional()
      .describe('User and password, sent as Basic.'),
    oauth: z
      .strictObject({
        tokenUrl: checkedText(addressFault).describe('Where a token is to be had: http or https.'),
        clientId: z.string().min(1).describe('The id of the client.'),
        clientSecret: secret(Password).describe('The secret of the client.'),
        scope: z
          .string()
          .min(1)
          .optional()
          .describe('What the token is to be good for, where the system wants it said.'),
        audience: z.string().min(1).optional().describe('Whom the token is for, where the system wants it said.'),
        send: z
          .enum(['header', 'body'])
          .default('header')
          .describe('How id and secret are sent: in the header (Basic), or in the body.'),
      })
      .optional()
      .describe('OAuth 2 client credentials: a token is fetched, and kept until it runs out.'),
  })
  .refine(
    (auth) => Object.values(auth).filter((one) => one !== undefined).length === 1,
    'Must have one of bearer, basic and oauth.',
  )

export type Auth = z.output<typeof Auth>
export type OAuth = NonNullable<Auth['oauth']>
