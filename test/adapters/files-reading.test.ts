import { describe, expect, test } from 'vitest'
import { newMemory, openAsking, openDropped } from './files-reading-kit.ts'

const PRODUCTS = { products: { pattern: 'products-*.csv' } }

describe('files in a folder', () => {
  test('When a file of products comes, then rows of one product are one, and the file is archived', async () => {
    await using folder = openDropped()
    await using asking = openAsking(folder.path, PRODUCTS)
    const file =
      'extId,name,price,gtin,label,productPrices.Norway\n' +
      'A,"Jacket, warm",1399.50,7040000000016,S,1399\n' +
      'A,,,7040000000023,M,\n' +
      'B,Scarf,99,,,\n'
    folder.put('products-1.csv', file)

    const run = await asking.run()

    expect(run.accepted).toEqual({
      products: [
        {
          extId: 'A',
          name: 'Jacket, warm',
          price: '1399.50',
          productPrices: [{ pricelistName: 'Norway', price: '1399' }],
          productSizes: [
            { gtin: '7040000000016', label: 'S' },
            { gtin: '7040000000023', label: 'M' },
          ],
        },
        { extId: 'B', name: 'Scarf', price: '99' },
      ],
    })
    expect(folder.files()).toEqual({ 'archive/products-1.csv': file })
    expect(folder.hidden()).toEqual([])
  })

  test('When rows are refused, then they stand in the reject file as they were, with their lines and reasons', async () => {
    await using folder = openDropped()
    const memory = newMemory()
    await using asking = openAsking(folder.path, PRODUCTS, { memory })
    folder.put('products-1.csv', '\ufeffextId;price;gtin\r\nA;12,50;1\r\n B ; 1.399 ;"2"\r\nC;1;3;4\r\n\r\nD;1;4\r\n')

    const run = await asking.run({ judge: ({ value }) => (value.extId === 'D' ? ['gtin: found "4"', 'and more'] : []) })

    expect(run.accepted.products).toEqual([{ extId: 'A', price: '12.50', productSizes: [{ gtin: '1' }] }])
    expect(folder.read('reject/products-1.csv')).toBe(
      '\ufeffTillbridgeLine;TillbridgeReason;extId;price;gtin\r\n' +
        '3;"price: ""1.399"" may be 1399 or 1.399: csv.decimal in config settles it"; B ; 1.399 ;"2"\r\n' +
        '4;"the row has 4 cells, the header has 3";C;1;3;4\r\n' +
        '6;"gtin: found ""4""; and more";D;1;4\r\n',
    )
    expect(Object.keys(folder.files())).toEqual(['archive/products-1.csv', 'reject/products-1.csv'])

    // Put right, the reject file itself can be given back.
    folder.put('products-1.csv', folder.read('reject/products-1.csv').replaceAll('1.399 ;', '1399 ;').replace(';4\r', '\r'))
    const again = await asking.run()
    expect(again.accepted.products).toMatchObject([{ extId: 'B', price: '1399' }, { extId: 'C' }, { extId: 'D' }])
    expect(Object.keys(folder.files())).toContain('archive/products-1.20261121-101530.csv')
  })
})
