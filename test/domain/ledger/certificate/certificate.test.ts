import { expect, test } from 'vitest'
import {
  CERTIFIED_SETS,
  type CertifiedRow,
  type Statement,
} from '../../../../src/domain/ledger/certificate/certificate.ts'
import { signed } from '../../../../src/domain/ledger/certificate/sign.ts'
import { newSigningKey } from '../../../../src/domain/ledger/certificate/signing-key.ts'
import { summaryOf } from '../../../../src/domain/ledger/certificate/summary.ts'
import { certificateFaults } from '../../../../src/domain/ledger/certificate/verify.ts'

const KEY = newSigningKey(1, 'kari')

const rows: Statement['rows'] = {
  sales: [
    ['s-1', '100.10', 'NOK'],
    ['s-2', '-0.10', 'NOK'],
    ['s-3', '5', 'SEK'],
    ['s-4', null, null],
  ],
  'sales-lines': [],
  settlements: [['z-1', '100', 'NOK']],
  movements: [['m-1', '-3', null]],
}

const statement: Statement = {
  format: 'tillbridge-certificate-1',
  store: { id: '42', number: '101', name: 'Oslo City', zone: 'Europe/Oslo' },
  day: '2026-11-20',
  from: '2026-11-19T23:00:00.000Z',
  to: '2026-11-20T23:00:00.000Z',
  madeAt: '2026-11-21T06:00:00.000Z',
  madeBy: 'Tillbridge 0.1.0',
  verdict: 'proven',
  watermarks: [],
  ranges: [],
  gaps: [],
  settlements: [{ till: '1', number: '7', grandTotal: '100', counter: '12345.60', currency: 'NOK' }],
  sets: CERTIFIED_SETS.map((set) => summaryOf(set, rows[set])),
  rows,
}

test('when rows are summed up, then sums are exact by currency, and the order of rows changes nothing', () => {
  const summary = summaryOf('sales', rows.sales)
  expect(summary).toMatchObject({
    count: 4,
    sums: [
      { currency: 'NOK', sum: '100' },
      { currency: 'SEK', sum: '5' },
    ],
  })
  expect(summaryOf('sales', rows.sales.toReversed())).toEqual(summary)
  expect(summaryOf('sales', rows.sales.with(0, ['s-0', '100.10', 'NOK'])).hash).not.toBe(summary.hash)
})

test('when nobody has changed a certificate, then it holds, whatever the order of its fields', () => {
  const certificate = signed(statement, KEY)
  const turned = Object.fromEntries(Object.entries(certificate).toReversed()) as typeof certificate
  for (const one of [certificate, turned, JSON.parse(JSON.stringify(certificate))])
    expect(certificateFaults(one, KEY.id)).toEqual([])
  expect(JSON.stringify(certificate)).not.toContain(KEY.privateKey)
})

test('when any value in it is changed, then it does not hold', () => {
  const certificate = signed(statement, KEY)
  let changed = 0
  const walk = (value: unknown, put: (other: unknown) => unknown): void => {
    if (Array.isArray(value)) value.forEach((one, index) => void walk(one, (other) => put(value.with(index, other))))
    else if (value !== null && typeof value === 'object')
      for (const [name, one] of Object.entries(value)) walk(one, (other) => put({ ...value, [name]: other }))
    else {
      changed += 1
      const other = typeof value === 'number' ? value + 1 : `${value ?? ''}x`
      expect([other, certificateFaults(put(other) as typeof certificate, null)]).not.toEqual([other, []])
    }
  }
  walk(certificate, (other) => other)
  expect(changed).toBeGreaterThan(40)
})

test('when a row is taken away, or the whole is signed anew by somebody else, then what is wrong is told', () => {
  const certificate = signed(statement, KEY)
  const fewer = { ...certificate, rows: { ...rows, sales: rows.sales.slice(1) as CertifiedRow[] } }
  expect(certificateFaults(fewer, null)).toEqual([
    expect.stringContaining('The signature is not of this text'),
    'The count of sales: it says 4, its rows 3.',
    expect.stringMatching(/^The sums of sales: it says .*"100".*, its rows .*"-0.1"/),
    expect.stringMatching(/^The hash of sales/),
  ])
  const other = newSigningKey(2, 'somebody')
  const forged = signed({ ...statement, verdict: 'proven' }, other)
  expect(certificateFaults(forged, null)).toEqual([])
  expect(certificateFaults(forged, KEY.id)).toEqual([`It is signed with the key ${other.id}, not with ${KEY.id}.`])
  expect(certificateFaults({ ...certificate, key: { ...certificate.key, publicKey: 'none' } }, null)).toHaveLength(2)
})
