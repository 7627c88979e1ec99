import { expect, test } from 'vitest'
import { parseScopes } from '../../src/admin/operations.ts'
import { SCOPES } from '../../src/domain/scope.ts'
import { UserError } from '../../src/domain/values/errors.ts'

test('When scopes are read, then each is there once, in a fixed order, whatever the spaces', () => {
  expect(parseScopes('read:stock, prices, products,prices,')).toEqual(['products', 'prices', 'read:stock'])
  expect(parseScopes(SCOPES.join(','))).toEqual(SCOPES)
})

test.each([
  ['products,read:stok', 'there is no scope "read:stok". Did you mean read:stock?'],
  ['Orders:any,orders', 'there is no scope "Orders:any". Did you mean orders:any?'],
  ['movements', 'there is no scope "movements". Did you mean read:movements?'],
  ['read:', 'there is no scope "read:". '],
  ['*', 'there is no scope "*". Did you mean read:*?'],
  ['everything', 'there is no scope "everything". Choose from products, prices, '],
  [' , ', 'say what the key may: products, prices, '],
  ['orders:any,products', 'orders:any is for keys that may submit orders: say orders,orders:any.'],
])('When somebody asks for %j, then the error says what to write', (text, said) => {
  expect(() => parseScopes(text)).toThrow(UserError)
  expect(() => parseScopes(text)).toThrow(said)
})
