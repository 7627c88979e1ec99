import { currency, decimal, flag, id, list, savedAt, text } from './fields.ts'
import type { ReadSet } from './read-set.ts'

export const products: ReadSet = {
  name: 'products',
  about: 'Product variants, with their sizes and their prices in lists.',
  kept: 'all',
  placeIs: null,
  filters: [],
  fields: [
    id,
    text('extId', 'What own systems know it by, where that is known.'),
    text('name', 'What it is called.'),
    text('number', 'Of the style.'),
    text('variant', 'The color code.'),
    text('group', 'Its group.'),
    text('subgroup', 'Its sub group.'),
    text('brand', 'Its brand.'),
    text('season', 'Its season.'),
    text('color', 'Its color.'),
    decimal('price', 'The ordinary price.'),
    flag('isWebAvailable', 'It may be sold online.'),
    flag('isDiscontinued', 'It is not sold any more.'),
    flag('isDeleted', 'The platform had it, and lists it no more.'),
    list('sizes', 'Its sizes.', [
      text('gtin', 'The article.'),
      text('sku', "The retailer's own number of the article."),
      text('label', 'What it says on the label.'),
    ]),
    list('prices', 'What it costs in price lists; one list may have several, of different times.', [
      text('list', 'The name of the list.'),
      text('listId', "The platform's id of the list."),
      currency,
      decimal('price', 'How much.'),
      text('gtin', 'Of this size alone; null: of all.'),
    ]),
    savedAt,
  ],
}
