import { z } from 'zod'
import { checkedText } from '../../lib/checked-text.ts'
import { secret } from '../../lib/secret.ts'
import { RECORD_NAMES } from './tables/records.ts'
import { sqlUrlFault } from './url-fault.ts'

/** Options that an operator writes under a destination with `adapter: sql`. */
export const SqlOptions = z
  .strictObject({
    url: secret(checkedText(sqlUrlFault)).describe(
      'The database: postgres://, mysql:// or mariadb://, with user, password and database; ?sslmode=verify-full for TLS.',
    ),
    schema: z
      .string()
      .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'Must be small letters, digits and _, 63 at most.')
      .optional()
      .describe("PostgreSQL: the schema that holds the tables; without it, the first of the user's search path."),
    tablePrefix: z
      .string()
      .regex(/^([a-z][a-z0-9_]{0,29})?$/, 'Must be small letters, digits and _, 30 at most.')
      .default('tillbridge_')
      .describe('What the name of each table begins with.'),
    createTables: z
      .boolean()
      .default(true)
      .describe('Whether tables and columns that are missing are made when they are needed first.'),
    customers: z
      .boolean()
      .default(false)
      .describe('Whether it is written who bought: name, company, e-mail, phone, number.'),
    only: z
      .array(z.enum(RECORD_NAMES))
      .min(1)
      .optional()
      .describe('Which records are taken, by their table; without it, all.'),
  })
  .superRefine(({ url, schema }, context) => {
    if (schema !== undefined && !/^postgres/i.test(url))
      context.addIssue({
        code: 'custom',
        path: ['schema'],
        message: 'Is for PostgreSQL only: the url names the database.',
      })
  })
export type SqlOptions = z.output<typeof SqlOptions>
