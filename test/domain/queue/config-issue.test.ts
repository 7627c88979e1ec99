import { describe, expect, test } from 'vitest'
import { ConfigIssueError, configIssuesOf, UserError } from '../../../src/domain/values/errors.ts'

describe('what config says and cannot be', () => {
  test('When several things do not fit, then each has its line: where, what was found, what belongs there', () => {
    const configIssues = [
      { path: ['destinations', 'shop', 'url'], found: 'no host', expected: 'an address' },
      { path: ['stores', 0], expected: 'a number' },
    ]
    const error = new ConfigIssueError(configIssues)
    expect(error.message).toBe('destinations.shop.url: found no host, expected an address\nstores.0: expected a number')
    expect(error).toBeInstanceOf(UserError)
    expect(configIssuesOf(error, ['other'])).toBe(configIssues)
  })

  const expected = 'a value that can be used: it is too long'
  test.each([
    ['about the very key', 'destinations.shop: it is too long.', ['destinations', 'shop']],
    [
      'about a key below',
      'destinations.shop.sftp.host-key: it is too long',
      ['destinations', 'shop', 'sftp', 'host-key'],
    ],
    ['about nothing in particular', 'it is too long.', ['destinations', 'shop']],
  ])('When a part complains %s, then the fault is there', (_, message, path) => {
    expect(configIssuesOf(new UserError(message), ['destinations', 'shop'])).toEqual([{ path, expected }])
  })

  test.each([['shop.url: no host'], ['destinations.shopping: no host'], ['x: destinations.shop.']])(
    'When it begins with a word that is no key below it (%s), then all of it is said of the part',
    (message) => {
      const says = `a value that can be used: ${message.replace(/\.$/, '')}`
      expect(configIssuesOf(new UserError(message), ['destinations', 'shop'])).toEqual([
        { path: ['destinations', 'shop'], expected: says },
      ])
    },
  )

  test('When it says so in several lines, then all of them are told', () => {
    const [fault] = configIssuesOf(new UserError('shop: one\ntwo'), ['shop'])
    expect(fault?.expected).toBe('a value that can be used: one\ntwo')
  })
})
