import type { Size, Variant } from '../goods/product.ts'

/** When the first products came: long before anything that a test or a demo does. */
export const SEEDED_AT = Date.parse('2026-01-05T08:00:00Z')

/** Styles, and colours of each: 2,000 variants. */
const STYLES = 500
const COLOURS_OF_EACH = 4

const BRANDS = ['Nordlys', 'Fjellrev & Co', 'Havblikk', 'Skogen', 'Lykke', 'Vinterlys', 'Aurora Sport', 'Kystlinje']
const SEASONS = ['AW25', 'SS26', 'AW26', 'BASIC']
const COLOURS: readonly (readonly [code: string, name: string])[] = [
  ['BLK', 'Black'],
  ['WHT', 'White'],
  ['NVY', 'Navy'],
  ['GRN', 'Green'],
  ['RED', 'Red'],
  ['GRY', 'Grey'],
  ['BEI', 'Beige'],
  ['BLU', 'Blue'],
  ['ROS', 'Rose'],
  ['YEL', 'Yellow'],
]

const CLOTHES = ['S', 'M', 'L', 'XL']
const WAISTS = ['30', '32', '34', '36']
const SHOES = ['38', '39', '40', '41', '42', '43']
const ONE = ['One size']

/** The sorts of styles: a code, a name, a group, the sizes, and what the cheapest one costs. */
const SORTS: readonly (readonly [
  code: string,
  name: string,
  group: string,
  sizes: readonly string[],
  price: number,
])[] = [
  ['TEE', 'T-shirt', 'Tops', CLOTHES, 199],
  ['SHI', 'Shirt', 'Tops', CLOTHES, 499],
  ['SWE', 'Sweater', 'Knitwear', CLOTHES, 699],
  ['CAR', 'Cardigan', 'Knitwear', CLOTHES, 799],
  ['TRO', 'Trousers', 'Trousers', WAISTS, 599],
  ['JEA', 'Jeans', 'Trousers', WAISTS, 799.5],
  ['DRE', 'Dress', 'Dresses', CLOTHES, 899],
  ['JAC', 'Jacket', 'Outerwear', CLOTHES, 1499],
  ['SNE', 'Sneakers', 'Shoes', SHOES, 999],
  ['BAG', 'Bag', 'Accessories', ONE, 349.9],
]

/** The products that a retailer of some size has in its catalogue, always the same. */
export function seedProducts(): Variant[] {
  let sizes = 0
  return Array.from({ length: STYLES * COLOURS_OF_EACH }, (_, index): Variant => {
    const style = Math.floor(index / COLOURS_OF_EACH)
    const [code, name, group, labels, cheapest] = at(SORTS, style)
    const [colour, colourName] = at(COLOURS, style * 3 + (index % COLOURS_OF_EACH))
    const number = String(100_001 + style)
    const price = cheapest + 100 * (Math.floor(style / SORTS.length) % 7)
    return {
      productid: 60_001 + index,
      id: `5eed0000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      extId: `${number}-${colour}`,
      ownSizes: true,
      name: `${at(BRANDS, style)} ${name.toLowerCase()} ${1 + Math.floor(style / SORTS.length)}`,
      number,
      variant: colour,
      groupName: group,
      subgroupName: null,
      color: colourName,
      season: at(SEASONS, Math.floor(style / 3)),
      brand: at(BRANDS, style),
      gender: '',
      tags: '',
      price,
      cost: Number((price * 0.4).toFixed(2)),
      description: null,
      isStockProduct: true,
      isWebAvailable: style % 2 === 0,
      isNoLabel: false,
      images: [`https://images.nordlys.example/${number}-${colour}.jpg`],
      sizes: labels.map((label, place): Size => {
        sizes += 1
        return {
          identity: String(8_900_000 + sizes),
          gtin: gtinOf(sizes),
          label,
          labelSortIndex: `0,${place + 1}`,
          externalSKU: `${code}${number}-${colour}-${label.replace(' ', '').toUpperCase()}`,
        }
      }),
      deleted: false,
      ins: SEEDED_AT,
      upt: SEEDED_AT,
    }
  })
}

/** The retailer's own numbers, with the check digit of GTIN-13. */
function gtinOf(running: number): string {
  const digits = `709002${String(running).padStart(6, '0')}`
  const weighed = [...digits].reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (weighed % 10)) % 10}`
}

/** Counted around. */
function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new RangeError('There is nothing to choose from.')
  return item
}
