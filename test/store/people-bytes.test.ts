import { expect, test } from 'vitest'
import { anchorsOf, eachText } from '../../src/store/sqlite/people/anchors.ts'
import { readTrunk, wipeFreeBytes } from '../../src/store/sqlite/people/free-bytes.ts'

test('When texts share a piece, then each is found where it begins, and nothing that only begins alike', () => {
  const texts = ['Zebedee@Canary.example', 'zebedee%40canary.example', '+4741239876', '41239876', 'Ås']
  const bytes = Buffer.from('xZebedee@Canary.example zebedee@other zebedee%40canary.example, 4741239876 +4741239876 Ås')
  const found: string[] = []
  eachText(bytes, anchorsOf(texts), (at, text) => found.push(`${at} ${text}`))

  expect(anchorsOf(texts)).toHaveLength(3)
  expect(found.sort()).toEqual([
    '1 Zebedee@Canary.example',
    '38 zebedee%40canary.example',
    '66 41239876',
    '75 +4741239876',
    '78 41239876',
    '87 Ås',
  ])
})

test('When a page of a table has free bytes, then these are overwritten, and its rows stay; any other page stays as it is', () => {
  const page = Buffer.alloc(512, 'Z')
  page[0] = 13
  page.writeUInt16BE(400, 1)
  page.writeUInt16BE(1, 3)
  page.writeUInt16BE(380, 5)
  page.writeUInt16BE(480, 8)
  page.writeUInt16BE(0, 400)
  page.writeUInt16BE(20, 402)
  const before = Buffer.from(page)
  expect(wipeFreeBytes(page, 2, 512)).toBe(true)
  expect(page.subarray(10, 380).every((byte) => byte === 0)).toBe(true)
  expect(page.subarray(404, 420).every((byte) => byte === 0)).toBe(true)
  for (const [from, to] of [
    [0, 10],
    [380, 404],
    [420, 512],
  ] as const)
    expect(page.subarray(from, to)).toEqual(before.subarray(from, to))

  const overflow = Buffer.alloc(512, 'Z')
  expect(wipeFreeBytes(overflow, 2, 512)).toBe(false)
  const broken = Buffer.from(before)
  broken.writeUInt16BE(400, 400)
  expect(wipeFreeBytes(broken, 2, 512), 'a chain that goes back').toBe(false)
  const trunk = Buffer.alloc(512)
  trunk.writeUInt32BE(7, 0)
  trunk.writeUInt32BE(2, 4)
  trunk.writeUInt32BE(9, 8)
  trunk.writeUInt32BE(11, 12)
  expect(readTrunk(trunk)).toEqual({ next: 7, free: [9, 11] })
})
