/** What each field of a settlement may mean, where no document says; the words that config takes. */
export const MEANINGS = {
  /**
   * The Z number: that of the fiscal report (of the settlement where there is none), always the settlement's own, or
   * `none`: no number runs on for each till.
   */
  number: ['report', 'batch', 'none'],
  /** The counter that grows by what is sold: `net` and `less-returns` fall by returns, `sales` does not; `none`: there is none. */
  counter: ['net', 'less-returns', 'sales', 'none'],
  /** Returns are counted besides receipts, or among them. */
  returns: ['apart', 'among'],
  /** The numbers of receipts run on, so that the first and the last tell how many there are; or they do not. */
  receipts: ['consecutive', 'sparse'],
  /** Sums of payments are compared one by one, as one total, or not at all. */
  payments: ['each', 'total', 'none'],
  /** Sales at a VAT rate are written with VAT, before it, one or the other, or are not compared. */
  rates: ['either', 'with-vat', 'before-vat', 'none'],
} as const

export type Meanings = { readonly [Field in keyof typeof MEANINGS]: (typeof MEANINGS)[Field][number] }

/** What the law of a country has tills count. */
export const PROFILES = {
  /** Norway: numbered Z reports, grand totals that are never set back, counts of receipts and of returns. */
  no: {
    number: 'report',
    counter: 'net',
    returns: 'apart',
    receipts: 'consecutive',
    payments: 'each',
    rates: 'either',
  },
  /** No law that asks for counters: numbers and sums alone. */
  plain: {
    number: 'batch',
    counter: 'none',
    returns: 'apart',
    receipts: 'sparse',
    payments: 'each',
    rates: 'none',
  },
} as const satisfies Record<string, Meanings>

export type Profile = keyof typeof PROFILES
export const PROFILE_NAMES = Object.keys(PROFILES) as [Profile, ...Profile[]]
