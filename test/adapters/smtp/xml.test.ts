import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readXml, type XmlElement } from '../../../src/adapters/smtp/receipt/print.ts'
import { growth, LINEAR } from '../../growth.ts'

/** Texts that a reader may lose itself in, by the piece that they repeat. */
const ATTACKS = {
  'tags whose names hold a quote': ['', `<'`],
  'a tag of quotes': ['<a', `'`],
  'a tag of quotes, one missing': [`<a "`, `'"`],
  'a name without an end': ['<', 'a'],
  'comments without an end': ['', '<!--'],
  'a comment of hyphens': ['<!--', '-'],
  'instructions without an end': ['', '<?'],
  'characters without an end': ['', '<![CDATA['],
  'closing tags without an end': ['', '</a '],
  'a closing tag of spaces': ['<a></a', ' '],
  'attributes without a value': ['<a ', 'b= '],
  'attributes that begin again': ['<a ', 'b='],
  'spaces between attributes': ['<a b', ' '],
  'entities without an end': ['<a>', '&#1'],
  'tags within tags': ['', '<a>'],
  'elements side by side': ['<a>', '<b/>'],
}

describe('the reader of XML', () => {
  test.each(Object.entries(ATTACKS))('when a stranger writes %s, then it is read in linear time', (_, attack) => {
    const [prefix = '', piece = ''] = attack
    const written = (size: number) => prefix + piece.repeat(size / piece.length)

    // A quadratic reader takes seconds for the small one, and minutes for the large one.
    expect(growth(60_000, written, readXml)).toBeLessThan(LINEAR)
    expect(growth(60_000, (size) => `${written(size)}</a>`, readXml)).toBeLessThan(LINEAR)
  })

  test('when a document is written, then it is read as it was meant', () => {
    fc.assert(
      fc.property(tree, (document) => {
        expect(readXml(`<?xml version="1.0"?><!-- a > b -->${written(document)}\n`)).toEqual(document)
      }),
    )
  })

  test.each([
    ['a value with brackets', `<a b="x>y" c='"'/>`, { b: 'x>y', c: '"' }],
    ['names in other case, with a namespace', `<p:a X:Bcd = "1"  E='2' />`, { bcd: '1', e: '2' }],
    ['an attribute without a value', '<a b c="1"></a>', { b: '', c: '1' }],
  ])('when a tag has %s, then it is understood', (_, source, attributes) => {
    expect(readXml(source)).toEqual({
      name: 'a',
      attributes: new Map(Object.entries(attributes)),
      children: [],
      text: '',
    })
  })

  test.each([
    '',
    'text',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a></a>text',
    '<!DOCTYPE a><a/>',
    '<a b="<"/>',
    '<a b="1/>',
    `<'a/>`,
    '<a></a b>',
    '<a><!-- </a>',
    '<a><![CDATA[ </a>',
    '< a/>',
    `${'<a>'.repeat(41)}${'</a>'.repeat(41)}`,
    `<a>${'<b/>'.repeat(20_000)}</a>`,
  ])('when it is not whole or no XML (%#), then it is refused', (source) => {
    expect(readXml(source)).toBeNull()
  })
})

const name = fc.constantFrom('a', 'line', 'Total-1', 'é')
const words = fc.string({ maxLength: 8 }).map((text) => text.replace(/\p{Cc}/gu, ''))
const attributes = fc.dictionary(name, words).map((given) => {
  return new Map(Object.entries(given).map(([key, value]) => [key.toLowerCase(), value]))
})
const leaf = fc.record({ name, attributes, text: words, children: fc.constant<XmlElement[]>([]) })
const tree = [1, 2, 3].reduce<fc.Arbitrary<XmlElement>>((inner) => {
  return fc.record({ name, attributes, text: words, children: fc.array(inner, { maxLength: 3 }) })
}, leaf)

function written({ name, attributes, text, children }: XmlElement): string {
  const given = [...attributes].map(([key, value]) => ` ${key}="${escaped(value)}"`).join('')
  return `<${name}${given}>${escaped(text)}${children.map(written).join('')}</${name}>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
