import { addressFault, checkedText, secret } from 'tillbridge/adapter'
import { z } from 'zod'

const FieldName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,59}$/, 'Must be the name of a custom field, as in the shop.')
const Code = z.string().min(1).max(100)
export const VendureOptions = z
  .strictObject({
    url: checkedText(urlFault).describe('The address of the Admin API (https://shop.example.com/admin-api).'),
    apiKey: secret(credential(20)).optional().describe('An API key of the shop (Vendure 3.6 or later).'),
    username: credential(1).optional().describe('The name of an administrator, where there is no apiKey.'),
    password: secret(credential(8)).optional().describe('The password of that administrator.'),
    channelToken: secret(credential(8)).optional().describe('The token of a channel; without it, the default channel.'),
    paymentMethod: Code.default('tillbridge').describe(
      'What payments that were made at a POS are called. It must be the code of no payment method of the shop.',
    ),
    shippingMethod: Code.optional().describe(
      'The code of the shipping method of created orders; without it, the cheapest that fits.',
    ),
    fulfillmentHandler: Code.default('manual-fulfillment').describe('The code of what executes fulfilments.'),
    guestEmail: z
      .email()
      .optional()
      .describe('Whom an order of the POS is for that has no e-mail address: Vendure takes none without.'),
    gtinField: FieldName.optional().describe(
      'The custom field of product variants that holds the GTIN; without it, their SKU is the GTIN.',
    ),
    numberField: FieldName.optional().describe('A custom field of orders that gets the number of the POS.'),
    readyNote: z
      .string()
      .min(1)
      .max(500)
      .default('Your order is ready for pickup.')
      .describe('The note that the customer sees when the goods lie ready in the store.'),
    pickup: z
      .strictObject({
        methods: z.array(Code).min(1).describe('The codes of shipping methods of orders that are for a store.'),
        placeField: FieldName.optional().describe(
          'The custom field of orders that names the store; without it, the code of the shipping method does.',
        ),
      })
      .optional()
      .describe('Which orders of the shop are for a store. Without it, none.'),
    moneyDecimals: z
      .int()
      .min(0)
      .max(6)
      .default(2)
      .describe("How many decimals the shop's amounts have (its MoneyStrategy): 2 unless it was changed."),
  })
  .superRefine(({ apiKey, username, password }, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message })
    for (const [key, value] of Object.entries({ username, password })) {
      if (apiKey !== undefined && value !== undefined) refuse(key, 'Must not be given besides apiKey.')
      if (apiKey === undefined && value === undefined) refuse(key, 'Must be given, or apiKey instead.')
    }
    if (apiKey === undefined && username === undefined) refuse('apiKey', 'Must be given, or username and password.')
  })

export type VendureOptions = z.output<typeof VendureOptions>

/** Long enough that masking it hides nothing else. */
function credential(least: number): z.ZodString {
  return z.string().regex(new RegExp(`^[\\x20-\\x7e]{${least},500}$`), `Must be ${least} or more printable characters.`)
}

function urlFault(text: string): string | null {
  const fault = addressFault(text)
  if (fault) return fault
  return new URL(text).search ? 'Must not have a query.' : null
}
