import { describe, expect, test } from 'vitest'
import { type Given, store } from '../../fixtures/payloads.ts'
import { line, mailOf, receiptMessage } from './mail.ts'

interface Case {
  name: string
  sale: Given
  decimal: string
  /** What must be read at the right: the lines, the total, its VAT. */
  expected: { lines: string[]; total: string; vat: string; rates: [net: string, vat: string][] }
}

const cases: Case[] = [
  {
    name: 'Norwegian crowns, two rates, a return, a weight',
    decimal: ',',
    sale: {
      orderLines: [
        line({ quantity: 3, price: 1299.5, vat: 779.7 }),
        line({ quantity: -1, price: 449, vat: -89.8 }),
        line({ quantity: 0.333, price: 99.9, vat: 4.34, vatPercent: 0.15 }),
      ],
      total: 3482.77,
      vatTotal: 694.24,
    },
    expected: {
      lines: ['3898.50', '-449.00', '33.27'],
      total: '3482.77',
      vat: '694.24',
      rates: [
        ['2759.60', '689.90'],
        ['28.93', '4.34'],
      ],
    },
  },
  {
    name: 'American dollars in millions, no VAT',
    decimal: '.',
    sale: {
      store: store({ currency: 'USD', address: { countryCode: 'US' } }),
      orderLines: [line({ price: 1234567.89, vat: 0, vatPercent: 0 })],
      total: 1234567.89,
      vatTotal: 0,
    },
    expected: { lines: ['1234567.89'], total: '1234567.89', vat: '0.00', rates: [['1234567.89', '0.00']] },
  },
  {
    name: 'yen, which have no coins',
    decimal: '.',
    sale: {
      store: store({ currency: 'JPY', address: { countryCode: 'JP' } }),
      orderLines: [line({ quantity: 2, price: 1100, vat: 200, vatPercent: 0.1 })],
      total: 2200,
      vatTotal: 200,
    },
    expected: { lines: ['2200'], total: '2200', vat: '200', rates: [['2000', '200']] },
  },
  {
    name: 'forints, whose coins Intl leaves out',
    decimal: ',',
    sale: {
      store: store({ currency: 'HUF', address: { countryCode: 'HU' } }),
      orderLines: [line({ price: 1999.5, vat: 425.09, vatPercent: 0.27 })],
      total: 1999.5,
      vatTotal: 425.09,
    },
    expected: { lines: ['1999.50'], total: '1999.50', vat: '425.09', rates: [['1574.41', '425.09']] },
  },
]

describe('the amounts of a receipt', () => {
  test.each(cases)(
    'When a sale is of $name, then the HTML has them to the cent',
    async ({ sale, decimal, expected }) => {
      const { html } = await mailOf(receiptMessage(sale))
      const table = (kind: string) => new RegExp(`<table class="${kind}".*?</table>`, 's').exec(html)?.[0] ?? ''
      const amounts = (text: string) =>
        [...text.matchAll(/<td align="right">(.*?)<\/td>/g)].map(([, shown = '']) => plain(shown, decimal))
      const [total, vat] = amounts(table('sums'))
      const rates = amounts(table('vat'))
      expect({
        lines: amounts(table('lines')),
        total,
        vat,
        rates: rates.flatMap((net, at) => (at % 2 === 0 ? [[net, rates[at + 1]]] : [])),
      }).toEqual(expected)
    },
  )

  test.each(cases)('When a sale is of $name, then the text has the same lines', async ({ sale, decimal, expected }) => {
    const { text } = await mailOf(receiptMessage(sale))
    const shown = [...text.matchAll(/^ {2}.* × .* {2}(\S.*?)\r?$/gm)].map(([, amount = '']) => plain(amount, decimal))
    expect(shown).toEqual(expected.lines)
    expect(plain(/^Total {2,}(.*?)\r?$/m.exec(text)?.[1] ?? '', decimal)).toBe(expected.total)
  })

  test('When a line does not say its VAT, then there is no table of rates, and the total stays', async () => {
    const { html } = await mailOf(receiptMessage({ orderLines: [line({ vat: null }), line()], total: 698 }))
    expect(html).not.toContain('class="vat"')
    expect(html).toContain('of which VAT')
  })

  test('When there are 1000 lines, then all of them stand in both parts', async () => {
    const { html, text } = await mailOf(receiptMessage(many(1000)))
    expect(html.match(/<tr><td>Wool jumper/g)).toHaveLength(1000)
    expect(html).toContain('1 299 000,00 kr'.replaceAll(' ', '\u00a0'))
    expect(text.match(/^Wool jumper/gm)).toHaveLength(1000)
  })
})

function many(count: number): Given {
  const one = line({
    name: 'Wool jumper, hand knitted in Setesdal',
    brand: 'Nordlys',
    colour: 'Natural white',
    sizeText: 'Extra large',
    price: 1299,
    fullPrice: 1499,
    vat: 259.8,
  })
  return { orderLines: Array(count).fill(one), total: 1299 * count, vatTotal: 259.8 * count }
}

/** An amount as people read it, as a decimal: without currency and signs between thousands. */
function plain(shown: string, decimal: string): string {
  const digits = shown.replace(/&#\d+;|&\w+;/g, '').replace(/−/g, '-')
  return [...digits]
    .filter((sign) => /[\d-]/.test(sign) || sign === decimal)
    .join('')
    .replace(decimal, '.')
}
