import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Accounts } from '../../../src/config/sections.ts'
import { differenceText, journalOf, withDifference } from '../../../src/domain/accounting/journal.ts'
import { accountsOf, linesOf, rows, settlementOf, shown, WRITTEN } from './journal-kit.ts'

describe('what was sold', () => {
  test('When things of all areas were sold, then each rate has its sales and VAT', () => {
    const lines = linesOf({
      ...{ GrandTotal: 352, NetTotal: 300, VATTotal: 52, VATArea1: 25, VATArea2: 15, VATArea3: 12 },
      paid: [['Card', 'Visa', 352]],
    })
    expect(lines).toEqual([
      '1901 Card Visa 352',
      '3000 Sales 25 % -100',
      '2700 VAT 25 % -25',
      '3015 Sales 15 % -100',
      '2715 VAT 15 % -15',
      '3012 Sales 12 % -100',
      '2712 VAT 12 % -12',
    ])
  })

  test('When a line is of sales or VAT, then it has its rate as a fraction, and others have none', () => {
    const settlement = settlementOf({ NetTotal: 100, VATTotal: 25, VATArea1: 25, paid: [['Card', 'Visa', 125]] })
    const { lines } = journalOf(settlement, accountsOf())
    expect(lines.map(({ vatRate }) => vatRate)).toEqual([null, '0.25', '0.25'])
  })

  test('When nothing had VAT, then all of it was sold at 0 %', () => {
    expect(linesOf({ GrandTotal: 80, NetTotal: 80, VATTotal: 0, paid: [['Card', 'Visa', 80]] })).toEqual([
      '1901 Card Visa 80',
      '3100 Sales 0 % -80',
    ])
  })

  test('When only returns were made, then everything is the other way round', () => {
    expect(
      linesOf({ GrandTotal: -250, NetTotal: -200, VATTotal: -50, VATArea1: -50, paid: [['Cash', 'Cash', -250]] }),
    ).toEqual(['1910 Cash -250', '3000 Sales 25 % 200', '2700 VAT 25 % 50'])
  })

  test('When nets from VAT are coins off, then they are sold at 0 % where that has an account, else at the largest', () => {
    const paid = [['Card', 'Visa', 1330.03] as [string, string, number]]
    const settlement = { NetTotal: 1080.03, VATTotal: 250, VATArea1: 220, VATArea2: 30, paid }
    const { '0': _, ...vat } = accountsOf().vat
    expect(linesOf(settlement)).toContain('3100 Sales 0 % -0.03')
    expect(linesOf(settlement, { vat })).toEqual([
      '1901 Card Visa 1330.03',
      '3000 Sales 25 % -880.03',
      '2700 VAT 25 % -220',
      '3015 Sales 15 % -200',
      '2715 VAT 15 % -30',
    ])
  })

  test('When more is left than coins, and nothing has an account for 0 %, then that account is missed', () => {
    const { '0': _, ...vat } = accountsOf().vat
    const given = {
      NetTotal: 300,
      VATTotal: 25,
      VATArea1: 25,
      paid: [['Card', 'Visa', 325] as [string, string, number]],
    }
    expect(() => linesOf(given, { vat })).toThrow('no account for sales at 0 %: add "0" under accounts.vat')
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['a small day', { NetTotal: 8.5, VATTotal: 2, VATArea1: 2 }, '3000 Sales 25 % -8.5'],
    ['a large day', { NetTotal: 1009, VATTotal: 250, VATArea1: 250 }, '3000 Sales 25 % -1009'],
    ['the second rate', { NetTotal: 1100.03, VATTotal: 175, VATArea1: 25, VATArea2: 150 }, '3015 Sales 15 % -1000.03'],
  ])(
    'When coins of %s are left, up to a hundred or a hundredth of it, then they are at the largest rate',
    (_, given, line) => {
      const { '0': _none, ...vat } = accountsOf().vat
      expect(linesOf({ ...given, paid: [] }, { vat, differences: '1' })).toContain(line)
    },
  )

  test('When coins alone were sold, without VAT, then they need an account for 0 % as well', () => {
    const { '0': _, ...vat } = accountsOf().vat
    expect(() => linesOf({ NetTotal: 0.5, VATTotal: 0 }, { vat })).toThrow('no account for sales at 0 %')
  })

  test('When an area with VAT has no rate, then it is asked for by name; one without VAT needs none', () => {
    const given = { NetTotal: 100, VATTotal: 15, VATArea1: 0, VATArea2: 15 }
    expect(() => linesOf(given, { areas: { 1: 25 } })).toThrow(
      'no account for 15.00 NOK of VAT in VATArea2: add its rate as 2 under accounts.areas',
    )
    expect(linesOf(given, { areas: { 2: 15 } })).toContain('2715 VAT 15 % -15')
  })

  test('When VAT is in none of the areas, then its rate is asked for by name, unless it is a coin of rounding', () => {
    const given = {
      NetTotal: 110,
      VATTotal: 25.6,
      VATArea1: 25,
      paid: [['Card', 'Visa', 135.6] as [string, string, number]],
    }
    expect(() => linesOf(given)).toThrow(
      'no account for 0.60 NOK of VAT in none of the areas: add its rate as other under accounts.areas',
    )
    const vat = { ...accountsOf().vat, '6': { sales: '3006', vat: '2706' } }
    expect(linesOf(given, { vat, areas: { 1: 25, other: 6 } })).toEqual([
      '1901 Card Visa 135.6',
      '3000 Sales 25 % -100',
      '2700 VAT 25 % -25',
      '3006 Sales 6 % -10',
      '2706 VAT 6 % -0.6',
    ])
    expect(linesOf({ NetTotal: 99.99, VATTotal: 25.01, VATArea1: 25, paid: [['Card', 'Visa', 125]] })).toContain(
      '2700 VAT 25 % -25.01',
    )
  })

  test.each<[string, Record<string, unknown>]>([
    ['GrandTotal', { GrandTotal: null, NetTotal: 100, VATTotal: 25 }],
    ['NetTotal', { GrandTotal: 125, NetTotal: null, VATTotal: 25 }],
    ['VATTotal', { GrandTotal: 125, NetTotal: 100, VATTotal: null, VATArea1: 24.99 }],
    ['NetTotal and VATTotal', { GrandTotal: 125, NetTotal: null, VATTotal: null }],
    ['GrandTotal and VATTotal', { GrandTotal: null, NetTotal: 100, VATTotal: null }],
  ])('When %s is missing, then the others say it', (_, given) => {
    expect(linesOf({ VATArea1: 25, ...given, paid: [['Card', 'Visa', 125]] })).toEqual([
      '1901 Card Visa 125',
      '3000 Sales 25 % -100',
      '2700 VAT 25 % -25',
    ])
  })

  test('When totals or payments are missing, then it says so', () => {
    const bad = (message: string) =>
      expect.objectContaining({ name: 'PermanentError', code: 'bad-settlement', message })
    const totals = 'the settlement has neither NetTotal with VATTotal, nor GrandTotal with one of them'
    for (const GrandTotal of [125, null])
      expect(() => linesOf({ GrandTotal, NetTotal: null, VATTotal: null, paid: [['Card', 'Visa', 125]] })).toThrow(
        bad(totals),
      )
    expect(() => linesOf({ PaymentTypes: null })).toThrow(bad('the settlement names no payments'))
  })

  test('When a currency has no coins, then whole yen are booked', () => {
    const given = { Currency: 'JPY', GrandTotal: 2198, NetTotal: 2008, VATTotal: 190, VATArea1: 150, VATArea2: 40 }
    const vat = { '10': { sales: '3010', vat: '2710' }, '8': { sales: '3008', vat: '2708' } }
    expect(linesOf({ ...given, paid: [['Cash', 'Cash', 2198]] }, { vat, areas: { 1: 10, 2: 8 } })).toEqual([
      '1910 Cash 2198',
      '3010 Sales 10 % -1508',
      '2710 VAT 10 % -150',
      '3008 Sales 8 % -500',
      '2708 VAT 8 % -40',
    ])
  })
})

describe('the fiscal report', () => {
  const report = (...rates: [percent: number, sales: number, vat: number][]) => ({
    SAFT_ZReport: {
      reportCashSalesVat: rates.map(([vatPerc, cashSaleAmnt, vatAmnt]) => ({ vatPerc, cashSaleAmnt, vatAmnt })),
    },
  })
  const given = { GrandTotal: 235, NetTotal: 200, VATTotal: 35, VATArea1: 35, paid: [['Card', 'Visa', 235] as never] }

  test.each([
    ['with VAT', report([10, 110, 10], [25, 125, 25])],
    ['without VAT', report([25, 100, 25], [10, 100, 10])],
    ['and the totals are missing', { ...report([25, 125, 25], [10, 110, 10]), GrandTotal: null, NetTotal: null }],
  ])('When it names each rate %s, then it is taken as it is, without areas', (_, rates) => {
    const vat = { '25': { sales: '3000', vat: '2700' }, '10': { sales: '3010', vat: '2710' } }
    expect(linesOf({ ...given, ...rates }, { vat, areas: {} })).toEqual([
      '1901 Card Visa 235',
      '3000 Sales 25 % -100',
      '2700 VAT 25 % -25',
      '3010 Sales 10 % -100',
      '2710 VAT 10 % -10',
    ])
  })

  test('When it is about another total, then the areas are taken', () => {
    const lines = linesOf({ ...given, ...report([25, 100, 20]) })
    expect(lines).toContain('3000 Sales 25 % -140')
  })

  test('When a rate has no account, then it is named, but not where nothing was sold at it', () => {
    const { '0': _, ...vat } = accountsOf().vat
    const paid = [['Card', 'Visa', 125] as [string, string, number]]
    const at = (rates: object) => ({ GrandTotal: 125, NetTotal: null, VATTotal: null, paid, ...rates })
    expect(() => linesOf(at(report([11.11, 125, 12.5])))).toThrow(
      'no account for sales at 11.11 %: add "11.11" under accounts.vat',
    )
    expect(() => linesOf(at(report([0, 125, 5])))).toThrow(
      'no account for VAT at 0 %: add vat to "0" under accounts.vat',
    )
    expect(linesOf(at(report([25, 125, 25], [2.6, 0, 0], [0, 0, 0])), { vat })).toHaveLength(3)
  })

  test('When a rate came as a JS number that is a digit too long, then it is that rate', () => {
    const vat = { '2.6': { sales: '3002', vat: '2702' } }
    const lines = linesOf(
      {
        ...{ GrandTotal: 102.6, NetTotal: null, VATTotal: 2.6, paid: [['Card', 'Visa', 102.6]] },
        ...report([2.6, 102.6, 2.6]),
      },
      { vat, areas: {} },
    )
    expect(lines).toContain('3002 Sales 2.6 % -100')
  })

  test('When it has another VAT than the settlement, as where VAT that was given back has no sign, then the areas are booked', () => {
    const day = {
      ...{ GrandTotal: 1135, NetTotal: 900, VATTotal: 235, VATArea1: 250, VATArea2: -15 },
      paid: [['Card', 'Visa', 1135] as [string, string, number]],
    }
    const vatOf = (...rates: [number, number, number][]) =>
      linesOf({ ...day, ...report(...rates) }).filter((line) => / VAT /.test(line))
    expect(vatOf([25, 1250, 250], [15, -115, 15])).toEqual(vatOf([25, 1250, 250], [15, -115, -15]))
    expect(vatOf([25, 1250, 0], [15, -115, 0])).toHaveLength(2)
  })
})

describe('how it was paid', () => {
  const sold = (total: number) => ({ GrandTotal: total, NetTotal: total, VATTotal: 0 })

  test('When all subtypes of the spec occur, then each has its account, the nearest one', () => {
    const lines = linesOf({
      ...sold(1000),
      paid: [
        ['Cash', 'ForeignCash', 100],
        ['Cash', 'Cash', 200.5],
        ['Cash', 'Rounding', -0.5],
        ['Giftcard', 'Giftcard in', 300],
        ['Giftcard', 'Giftcard old in', 50],
        ['Giftcard', 'Giftcard out', -100],
        ['Voucher', 'Voucher in', 70],
        ['Voucher', 'Voucher old in', 30],
        ['Voucher', 'Voucher out', -150],
        ['CARD', 'visa', 400],
        ['Card', 'MasterCard', 60],
        ['Card', '', 40],
      ],
    })
    expect(lines).toEqual([
      '1915 ForeignCash 100',
      '1910 Cash 200.5',
      '7770 Rounding -0.5',
      '2900 Giftcard in 300',
      '2901 Giftcard old in 50',
      '2900 Giftcard out -100',
      '2905 Voucher in 70',
      '2906 Voucher old in 30',
      '2905 Voucher out -150',
      '1901 CARD visa 400',
      '1900 MasterCard 60',
      '1900 Card 40',
      '3100 Sales 0 % -1000',
    ])
  })

  test('When a gift card was sold, and nothing else, then nothing was sold', () => {
    expect(
      linesOf({
        paid: [
          ['Card', 'Visa', 500],
          ['Giftcard', 'Giftcard out', -500],
        ],
      }),
    ).toEqual(['1901 Card Visa 500', '2900 Giftcard out -500'])
  })

  test('When the same comes twice, then it is one line, and none where it comes to nothing', () => {
    const paid: [string, string, number][] = [
      ['Card', 'Visa', 100],
      ['Card', 'Visa', 25.5],
      ['Cash', 'Cash', 80],
      ['Cash', 'Cash', -80],
    ]
    expect(linesOf({ ...sold(125.5), paid })).toEqual(['1901 Card Visa 125.5', '3100 Sales 0 % -125.5'])
  })

  test.each<[string, [string, string | null, number], Record<string, unknown>, string]>([
    ['what has no name', ['', '', 10], {}, 'no account for payment "unknown": add it under accounts.payments'],
    ['a type', ['Vipps', null, 10], {}, 'no account for payment "Vipps": add it under accounts.payments'],
    [
      'a subtype',
      ['Card', 'Amex', 10],
      { payments: { 'Card/Visa': '1' } },
      'no account for payment "Card/Amex": add it under accounts.payments',
    ],
    [
      'rounding',
      ['Cash', 'Rounding', 0.5],
      { rounding: undefined },
      'no account for payment "Cash/Rounding": add accounts.rounding',
    ],
  ])('When %s has no account, then it is named, with what to add', (_, row, accounts, message) => {
    expect(() => linesOf({ ...sold(10), paid: [row] }, accounts)).toThrow(
      expect.objectContaining({ name: 'PermanentError', code: 'no-account', message }),
    )
  })

  test('When rounding has an account of its own kind, then that counts, and an amount of 0 needs none', () => {
    const payments = { Cash: '1910', 'Cash/Rounding': '7771' }
    const paid: [string, string, number][] = [
      ['Cash', 'Cash', 10.5],
      ['Cash', 'Rounding', -0.5],
      ['Vipps', 'Vipps', 0],
    ]
    expect(linesOf({ ...sold(10), paid }, { payments })).toContain('7771 Rounding -0.5')
  })
})

describe('the drawer', () => {
  /** 2000 to begin with, 350 came in by sales. */
  const paid = [['Cash', 'Cash', 350] as never, ['Card', null, 50] as never]
  const day = { GrandTotal: 400, NetTotal: 400, OpeningCashBalance: 2000, paid }
  const sales = ['1910 Cash 350', '1900 Card 50', '3100 Sales 0 % -400']

  test('When cash is put in and taken out, then it comes from one account and goes to another, whatever its sign', () => {
    const moved = {
      Deposits: rows([['Cash', 'Cash', 500]]),
      Withdrawals: rows([
        ['Cash', 'Cash', -300],
        ['Cash', 'ForeignCash', 40],
      ]),
    }
    expect(linesOf({ ...day, ...moved, ClosingCashBalance: 2550 })).toEqual([
      ...sales,
      '1910 Deposit 500',
      '1920 Deposit -500',
      '1925 Withdrawal 340',
      '1910 Withdrawal -300',
      '1915 Withdrawal -40',
    ])
  })

  test('When deposits are told with a minus, then the drawer has what was put in, and the count is as expected', () => {
    const moved = { Deposits: rows([['Cash', 'Cash', -500]]), Withdrawals: rows([['Cash', 'Cash', -300]]) }
    expect(linesOf({ ...day, ...moved, ClosingCashBalance: 2540, Discrepancy: 10 })).toEqual([
      ...sales,
      '1910 Deposit 500',
      '1920 Deposit -500',
      '1925 Withdrawal 300',
      '1910 Withdrawal -300',
      '1910 Discrepancy -10',
      '7799 Discrepancy 10',
    ])
  })

  test('When a deposit is taken back in part, then the rest of it came', () => {
    const Deposits = rows([
      ['Cash', 'Cash', 500],
      ['Cash', 'Cash', -200],
    ])
    expect(linesOf({ Deposits })).toEqual(['1910 Deposit 300', '1920 Deposit -300'])
  })

  test.each([
    ['too little', 2340, 10, ['1910 Discrepancy -10', '7799 Discrepancy 10']],
    ['too little', 2340, -10, ['1910 Discrepancy -10', '7799 Discrepancy 10']],
    ['too much', 2360, 10, ['1910 Discrepancy 10', '7799 Discrepancy -10']],
    ['too much', 2360, -10, ['1910 Discrepancy 10', '7799 Discrepancy -10']],
  ])('When %s was counted, then what was counted says so (%d, %d)', (_, ClosingCashBalance, Discrepancy, lines) => {
    expect(linesOf({ ...day, ClosingCashBalance, Discrepancy })).toEqual([...sales, ...lines])
  })

  test.each<[string, Record<string, unknown>]>([
    ['is not there', { ClosingCashBalance: null }],
    ['does not come to it', { ClosingCashBalance: 2350 }],
    ['may lack withdrawals', { ClosingCashBalance: 2360, Withdrawals: null }],
    ['may lack deposits', { ClosingCashBalance: 2360, Deposits: null }],
    ['has no beginning', { ClosingCashBalance: 2360, OpeningCashBalance: null }],
  ])('When what was counted %s, then a discrepancy is counted less expected', (_, given) => {
    expect(linesOf({ ...day, ...given, Discrepancy: -10 })).toContain('1910 Discrepancy -10')
  })

  test('When it comes to it with foreign cash alone, then that was counted too', () => {
    const paid = [
      ['Cash', 'Cash', 350] as never,
      ['Cash', 'ForeignCash', 100] as never,
      ['Cash', 'Rounding', 0.4] as never,
    ]
    const given = { GrandTotal: 450.4, NetTotal: 450.4, OpeningCashBalance: 2000, paid, Discrepancy: 10 }
    expect(linesOf({ ...given, ClosingCashBalance: 2440 })).toContain('1910 Discrepancy -10')
    expect(linesOf({ ...given, ClosingCashBalance: 2340 })).toContain('1910 Discrepancy -10')
  })

  test.each([
    ['deposits', { Deposits: rows([['Cash', 'Cash', 5]]) }],
    ['withdrawals', { Withdrawals: rows([['Cash', 'Cash', 5]]) }],
    ['discrepancy', { Discrepancy: 5 }],
  ])('When %s has no account, then it is named', (part, given) => {
    expect(() => linesOf(given, { [part]: undefined })).toThrow(`no account for ${part}: add accounts.${part}`)
  })

  test('When nothing was moved, or it is not known, then none of those accounts is needed', () => {
    const none = rows([['Cash', 'Cash', 0]])
    const without = { deposits: undefined, withdrawals: undefined, discrepancy: undefined }
    expect(linesOf({ Deposits: none, Withdrawals: none, Discrepancy: 0 }, without)).toEqual([])
    expect(linesOf({ Deposits: null, Withdrawals: null, Discrepancy: null }, without)).toEqual([])
  })

  test('When cash has an account of its own beside that of its type, then that is the drawer’s', () => {
    const payments = { Cash: '1910', 'cash / CASH': '1911' }
    expect(linesOf({ Deposits: rows([['Cash', 'Cash', 5]]) }, { payments })).toEqual([
      '1911 Deposit 5',
      '1920 Deposit -5',
    ])
  })

  test('When the cash itself has no account, then that is named', () => {
    expect(() => linesOf({ Discrepancy: 5 }, { payments: { Card: '1900' } })).toThrow(
      'no account for the cash in the drawer: add "Cash" under accounts.payments',
    )
  })

  test.each<[string, number, [string, string, number][]]>([
    [
      'was taken back',
      2350,
      [
        ['Cash', 'Cash', 300],
        ['Cash', 'Cash', -300],
      ],
    ],
    [
      'was noted too high, and put right',
      2050,
      [
        ['Cash', 'Cash', -500],
        ['Cash', 'Cash', 200],
      ],
    ],
  ])('When a withdrawal %s, then the drawer grew by what its balances say', (_, closing, withdrawals) => {
    const lines = linesOf({
      ...{ GrandTotal: 350, NetTotal: 350, VATTotal: 0, OpeningCashBalance: 2000, ClosingCashBalance: closing },
      ...{ Discrepancy: 0, Withdrawals: rows(withdrawals), paid: [['Cash', 'Cash', 350] as [string, string, number]] },
    })
    const moved = lines.filter((line) => line.startsWith('1910 ')).map((line) => Number(line.split(' ').at(-1)))
    expect(moved.reduce((sum, one) => sum + one, 0)).toBe(closing - 2000)
  })
})

describe('what does not balance', () => {
  const journal = (paid: number) =>
    journalOf(settlementOf({ NetTotal: 100, paid: [['Card', 'Visa', paid]] }), accountsOf())

  test('When payments and sales differ, then the difference has a side', () => {
    expect(differenceText(journal(112.5))).toBe('debit is 12.50 NOK more than credit')
    expect(differenceText(journal(99.9))).toBe('credit is 0.10 NOK more than debit')
    expect(differenceText(journal(100))).toBe('debit and credit are the same')
  })

  test('When a person lets it go, then a line of its own closes it', () => {
    expect(shown(journal(112.5))).toContain('missing 12.5')
    expect(shown(withDifference(journal(112.5), '1999', 'Let go'))).toEqual([
      '1901 Card Visa 112.5',
      '3100 Sales 0 % -100',
      '1999 Let go -12.5',
    ])
    expect(withDifference(journal(100), '1999', 'Let go')).toEqual(journal(100))
  })
})

/** What is wrong, each as `key: message`. */
function faults(given: Record<string, unknown>): string[] {
  const issues = Accounts.safeParse({ ...WRITTEN, ...given }).error?.issues ?? []
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

test('When accounts are written as the page shows, then they are taken, and a rate 0 needs no account of VAT', () => {
  expect(faults({})).toEqual([])
  expect(Accounts.parse({ payments: {}, vat: {} }).areas).toEqual({})
})

test.each<[string, Record<string, unknown>, string]>([
  ['a number', { rounding: 7770 }, 'rounding: '],
  ['blank', { differences: ' ' }, 'differences: the number of an account, such as "1900"'],
  ['unknown', { other: '1' }, ': Unrecognized key: "other"'],
  [
    'twice there',
    { payments: { 'Card/Visa': '1', 'card / visa': '2' } },
    'payments.card / visa: another name: it is the same as "Card/Visa"',
  ],
  ['no payment', { payments: { '/Visa': '1' } }, 'payments./Visa: '],
  ['no rate', { vat: { '25 %': { sales: '1', vat: '2' } }, areas: {} }, 'vat.25 %: '],
  ['a rate in another form', { vat: { '25.0': { sales: '1', vat: '2' } }, areas: {} }, 'vat.25.0: '],
  ['a rate without VAT', { vat: { '25': { sales: '1' } }, areas: {} }, 'vat.25.vat: the account of the VAT'],
  ['an area without accounts', { areas: { 2: 11.5 } }, 'areas.2: a rate that has accounts under vat'],
  ['an area of 0 %', { areas: { 1: 0 } }, 'areas.1: '],
])('When something is %s, then it is refused by name', (_, given, expected) => {
  expect(faults(given)).toContainEqual(expect.stringContaining(expected))
})

test('When an editor asks, then every key is described', () => {
  const undescribed = Object.entries(Accounts.shape).filter(([, schema]) => !z.globalRegistry.get(schema)?.description)
  expect(undescribed.map(([key]) => key)).toEqual([])
})
