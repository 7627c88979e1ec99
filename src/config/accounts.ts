import { z } from 'zod'
import { type Accounts as ByPart, plainName } from '../domain/books/accounts.ts'

const Account = z.string().trim().min(1, { error: 'the number of an account, such as "1900"' })

const PaymentName = z.string().regex(/^\s*[^/\s][^/]*(\/\s*\S.*)?$/, {
  error: 'a type of payments, such as Card, or a type and its subtype, such as Card/Visa',
})

/** Written in one way only, so that a rate stands there once. */
const Percent = z.string().regex(/^(0|[1-9]\d?)(\.\d{0,3}[1-9])?$/, { error: 'a rate in percent, such as 25 or 11.5' })

const AreaRate = z.number().positive().lt(100)

const RateAccounts = z.strictObject({
  sales: Account.describe('The account of what is sold at this rate, without VAT.'),
  vat: Account.optional().describe('The account of the VAT. At 0 % there is none.'),
})

/** Where settlements stand in the books of a destination: a journal is made of each. */
export const Accounts = z
  .strictObject({
    payments: z
      .record(PaymentName, Account)
      .describe(
        'The account of each type of payments (Card, Cash, Giftcard …), or of a type and subtype (Card/Visa), which wins. Case does not count.',
      ),
    rounding: Account.optional().describe('What is rounded away where cash is paid in whole coins (Cash/Rounding).'),
    vat: z.record(Percent, RateAccounts).describe('The accounts of what is sold at each VAT rate, by its percent.'),
    areas: z
      .strictObject({
        1: AreaRate.optional().describe('The rate of VATArea1, in percent.'),
        2: AreaRate.optional().describe('The rate of VATArea2, in percent.'),
        3: AreaRate.optional().describe('The rate of VATArea3, in percent.'),
        other: AreaRate.optional().describe('The rate of VAT that is in none of the three, in percent.'),
      })
      .default({})
      .describe('Which rate each VAT area of a settlement is for. The platform does not say it.'),
    discrepancy: Account.optional().describe('Takes what the drawer had too little or too much.'),
    deposits: Account.optional().describe('Where cash that is put into the drawer comes from (the safe, the bank).'),
    withdrawals: Account.optional().describe('Where cash that is taken out of the drawer goes.'),
    differences: Account.optional().describe(
      'Takes what is missing in a settlement that does not balance, where a person lets it go. Without it, none can be let go.',
    ),
  })
  .superRefine(({ payments, vat, areas }, context) => {
    const names = new Map<string, string>()
    for (const name of Object.keys(payments)) {
      const other = names.get(plainName(name))
      if (other !== undefined) fault(['payments', name], `another name: it is the same as "${other}"`)
      names.set(plainName(name), name)
    }
    for (const [percent, accounts] of Object.entries(vat))
      if (percent !== '0' && accounts.vat === undefined) fault(['vat', percent, 'vat'], 'the account of the VAT')
    for (const [area, percent] of Object.entries(areas))
      if (percent !== undefined && !Object.hasOwn(vat, String(percent)))
        fault(['areas', area], 'a rate that has accounts under vat')

    function fault(path: string[], message: string): void {
      context.addIssue({ code: 'custom', path, message })
    }
  }) satisfies z.ZodType<ByPart>
