import { z } from 'zod'
import { BILLING, SHIPPING } from '../orders/order.ts'
import { boolean, email, integer, integerWithin, listOf, mixed, oneOf, text, wordList } from '../parameters.ts'

const fields = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, text.optional()]))

/** The parameters that `GET /customers` reads. */
export const CustomerQuery = z.object({
  page: integerWithin(1).default(1),
  per_page: integerWithin(1, 100).default(10),
  order: oneOf('asc', 'desc').default('asc'),
  orderby: oneOf('id', 'name', 'registered_date').default('name'),
  email: email.optional(),
  role: oneOf('all', 'administrator', 'shop_manager', 'customer', 'subscriber').default('customer'),
  _fields: wordList.optional(),
})

/** The parameters that `DELETE` of a customer reads. */
export const CustomerDeletion = z.object({ force: boolean.default(false), reassign: integer.optional() })

/** The fields that `POST` and `PUT` of customers read. */
export const CustomerInput = z.object({
  id: mixed,
  email: email.optional(),
  first_name: text.optional(),
  last_name: text.optional(),
  username: text.optional(),
  password: text.optional(),
  billing: z.object({ ...fields(BILLING), email: email.optional() }).nullish(),
  shipping: z.object(fields(SHIPPING)).nullish(),
  meta_data: listOf(z.object({ id: integer.optional(), key: text.optional(), value: mixed })).nullish(),
})

export type CustomerInput = z.infer<typeof CustomerInput>
