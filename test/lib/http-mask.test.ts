import { expect, test } from 'vitest'
import { createMask } from '../../src/lib/http/http-verdict.ts'

test.each([
  ['as it is', 'key abcdefgh?', ['abcdefgh'], 'key ***?'],
  ['more than once', 'abcdefgh, abcdefgh', ['abcdefgh'], '***, ***'],
  ['URL-encoded', 'x=a%26b%3Dc%2Fd', ['a&b=c/d'], 'x=***'],
  ['escaped in JSON', String.raw`{"x":"a\"b\\c"}`, [String.raw`a"b\c`], '{"x":"***"}'],
  ['without its scheme', 'token abcdefgh', ['Bearer abcdefgh'], 'token ***'],
  ['decoded from Basic', 'password s3cr3t!', [`Basic ${btoa('me:s3cr3t!')}`], 'password ***'],
  ['within a longer secret', 'abcdefgh-2', ['abcdefgh', 'abcdefgh-2'], '***'],
  ['cut off at the end of the text', 'bad key abcde', ['abcdefgh'], 'bad key ***'],
  ['not at all, if too short to be one', 'version 2', ['2', ''], 'version 2'],
  ['not at all, if it is only the scheme', 'Bearer needed', ['Bearer abcdefgh'], 'Bearer needed'],
])('A secret is taken out %s', (_, text, secrets, expected) => {
  expect(createMask(secrets)(text)).toBe(expected)
})
