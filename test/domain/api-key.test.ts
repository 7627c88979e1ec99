import { expect, test } from 'vitest'
import { hashSecret, mayDo, parseScopes, readKey, SCOPES, writeKey } from '../../src/domain/api-key.ts'
import { UserError } from '../../src/domain/errors.ts'

const SECRET = 'A-_z'.repeat(10).concat('abc')

test('When scopes are read, then each is there once, in a fixed order, whatever the spaces', () => {
  expect(parseScopes('prices, products,prices,')).toEqual(['products', 'prices'])
  expect(parseScopes(SCOPES.join(','))).toEqual(SCOPES)
})

test('When a scope is unknown, or there is none, then the error says which there are', () => {
  expect(() => parseScopes('products,stock')).toThrow(UserError)
  expect(() => parseScopes('products,stock')).toThrow(/"stock".*stock-adjustments/)
  expect(() => parseScopes(' , ')).toThrow(/products, prices/)
})

test('When a key is asked what it may do, then it is what it was made for, until it is revoked', () => {
  expect(mayDo({ scopes: ['prices'], revokedAt: null }, 'prices')).toBe(true)
  expect(mayDo({ scopes: ['prices'], revokedAt: null }, 'cost-prices')).toBe(false)
  expect(mayDo({ scopes: ['prices'], revokedAt: 1 }, 'prices')).toBe(false)
})

test('When a key is written, then it is read back, also with the characters that stand between its parts', () => {
  const key = { id: '0123456789abcdef', secret: SECRET }
  expect(readKey(writeKey(key.id, key.secret))).toEqual(key)
  for (const wrong of ['', 'tb_', `tb_${key.id}_`, `tb_${key.id}_${SECRET}x`, `xtb_${key.id}_${SECRET}`, SECRET])
    expect(readKey(wrong)).toBeNull()
})

test('When a secret is hashed, then it is SHA-256 in hex', () => {
  expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
