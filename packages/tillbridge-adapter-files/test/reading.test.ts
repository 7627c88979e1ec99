import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSftpFolder } from '../../../src/folders/sftp.ts'
import { createLocalFolder, FilesError, type Transport } from '../../../src/folders/transport.ts'
import type { IntakePage } from '../../../src/ports/ports.ts'
import files from '../src/files.ts'
import { type Asking, bytesOf, type Dropped, newMemory, openAsking, openDropped } from './reading-kit.ts'
import { describeSftp } from './sshd.ts'

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

    // Put right, the reject file itself can be put back.
    folder.put(
      'products-1.csv',
      folder.read('reject/products-1.csv').replaceAll('1.399 ;', '1399 ;').replace(';4\r', '\r'),
    )
    const again = await asking.run()
    expect(again.accepted.products).toMatchObject([{ extId: 'B', price: '1399' }, { extId: 'C' }, { extId: 'D' }])
    expect(Object.keys(folder.files())).toContain('archive/products-1.20261121-101530.csv')
  })

  test('When there are several, then one goes after the other, by resource and by name, and ten after two', async () => {
    await using folder = openDropped()
    await using asking = openAsking(folder.path, {
      prices: { pattern: 'p*.csv' },
      products: { folder: 'in', pattern: 'p*.csv', archive: 'done/ok' },
    })
    for (const no of [10, 2, 1]) folder.put(`p${no}.csv`, `list,gtin,price\nA,1,${no}\n`)
    folder.put('in/p1.csv', 'extId\nA\n')
    folder.put('.p3.csv', 'hidden')
    folder.put('P4.CSV.part', 'list')
    folder.put('q5.csv', 'list')
    const run = await asking.run()
    expect(run.accepted.prices).toMatchObject([{ price: '1' }, { price: '2' }, { price: '10' }])
    expect(run.accepted.products).toEqual([{ extId: 'A' }])
    expect(Object.keys(folder.files())).toEqual([
      '.p3.csv',
      'P4.CSV.part',
      'archive/p1.csv',
      'archive/p10.csv',
      'archive/p2.csv',
      'in/done/ok/p1.csv',
      'q5.csv',
    ])
  })

  test('When one has not settled, then it is left, and so are those after it, but not those of others', async () => {
    await using folder = openDropped()
    let now = 0
    const read = {
      products: { pattern: 'products-*.csv', settle: '10s' },
      prices: { pattern: 'prices-*.csv', settle: '5s' },
    }
    await using asking = openAsking(folder.path, read, { elapsed: () => now, memory: newMemory() })
    folder.put('products-1.csv', 'extId\nA\n')
    folder.put('products-2.csv', 'extId\nB\n')
    folder.put('prices-1.csv', 'list,gtin,price\nA,1,1\n')
    const at = async (time: number) => {
      now = time
      return (await asking.run()).accepted
    }
    expect(await at(0)).toEqual({})
    expect(await at(4_999)).toEqual({})
    appendFileSync(join(folder.path, 'products-1.csv'), 'C\n')
    expect(Object.keys(await at(5_000))).toEqual(['prices'])
    expect(await at(14_999)).toEqual({})
    expect(await at(15_000)).toEqual({ products: [{ extId: 'A' }, { extId: 'C' }, { extId: 'B' }] })
  })

  test('When the same content comes again right after, then it is nothing new; after another one, it is', async () => {
    await using folder = openDropped()
    const memory = newMemory()
    await using asking = openAsking(folder.path, { prices: { pattern: 'prices*.csv' } }, { memory })
    const price = (amount: number) => `list,gtin,price\nA,1,${amount}\n`
    const accepted: number[] = []
    for (const amount of [10, 10, 8, 8, 10]) {
      // Old files that are put back keep their time.
      folder.put('prices.csv', price(amount), '2026-11-20T10:00:00Z')
      accepted.push((await asking.run()).accepted.prices?.length ?? 0)
    }
    expect(accepted).toEqual([1, 0, 1, 0, 1])
    expect(readdirSync(join(folder.path, 'archive'))).toHaveLength(5)
  })

  test('When a file cannot be read, then it is rejected whole with the reason beside it, and the next one is read', async () => {
    await using folder = openDropped()
    await using asking = openAsking(folder.path, PRODUCTS)
    folder.put('products-1.csv', 'extId,name\nA,Hat\nB,"Hat\n')
    folder.put('products-2.csv', 'extId\nC\n')
    const run = await asking.run()
    expect(run.refused).toEqual([
      ['products-1.csv cannot be read: Line 3: a cell begins with a quote here, and no quote ends it.'],
    ])
    expect(run.accepted.products).toEqual([{ extId: 'C' }])
    expect(folder.files()).toEqual({
      'archive/products-2.csv': 'extId\nC\n',
      'reject/products-1.csv': 'extId,name\nA,Hat\nB,"Hat\n',
      'reject/products-1.csv.reason.txt':
        'products-1.csv\nLine 3: a cell begins with a quote here, and no quote ends it.\n',
    })
  })

  test('When it takes long to read a file once, then that goes on in the next polls', async () => {
    await using folder = openDropped()
    let now = 0
    const elapsed = () => (now += 10_000)
    await using asking = openAsking(folder.path, PRODUCTS, { elapsed })
    const rows = Array.from({ length: 600 }, (_, no) => `P${no},${'x'.repeat(1_000)}\n`)
    folder.put('products-1.csv', `extId,name\n${rows.join('')}`)
    const run = await asking.run()
    expect(run.accepted.products).toHaveLength(600)
    expect(run.pages).toBeGreaterThan(4)
  })

  test('When its writer was not done after all, then it is read again', async () => {
    await using folder = openDropped()
    const memory = newMemory()
    await using asking = openAsking(folder.path, PRODUCTS, { memory })
    folder.put('products-1.csv', 'extId\nA\n')
    const page = await asking.poll(null)
    const reading = join(folder.path, '.tillbridge/reading')
    appendFileSync(join(reading, readdirSync(reading)[0] ?? '', 'products-1.csv'), 'B\n')
    await asking.taken(page, [{ status: 'accepted', faults: [] }])
    memory.cursor = page.cursor
    expect((await asking.run()).accepted.products).toEqual([{ extId: 'A' }, { extId: 'B' }])
    expect(folder.files()).toEqual({ 'archive/products-1.csv': 'extId\nA\nB\n' })
  })

  test('When somebody has put a file of its name where it goes, then that one stays as it is', async () => {
    await using folder = openDropped()
    await using asking = openAsking(folder.path, PRODUCTS)
    for (const content of ['extId\nA\n', 'extId\nB\n', 'extId\nC\n']) {
      folder.put('products-1.csv', content)
      await asking.run()
    }
    folder.put('reject/products-2.csv.reason.txt', 'mine')
    folder.put('products-2.csv', 'nonsense\n')
    await asking.run()
    expect(Object.keys(folder.files())).toEqual([
      'archive/products-1.20261121-101530-2.csv',
      'archive/products-1.20261121-101530.csv',
      'archive/products-1.csv',
      'reject/products-2.20261121-101530.csv',
      'reject/products-2.20261121-101530.csv.reason.txt',
      'reject/products-2.csv.reason.txt',
    ])
  })

  test('When a folder is not there, or files may not be read or moved, then the job says so', async () => {
    await using folder = openDropped()
    const read = { products: { folder: 'in', pattern: '*.csv' } }
    await using asking = openAsking(folder.path, read)
    await expect(asking.run()).rejects.toMatchObject({
      name: 'RetryLaterError',
      code: 'files-missing',
      message: `${folder.path} has no folder in (read.products.folder).`,
    })
    await expect(openAsking('/nowhere', PRODUCTS).run()).rejects.toMatchObject({ code: 'files-missing' })
    folder.put('in/a.csv', 'extId\nA\n')
    folder.put('in/b.csv', 'extId\nB\n')
    await using hampered = openAsking(folder.path, read, { transport: denying(folder.path, 'a.csv') })
    expect((await hampered.run()).refused).toEqual([
      ['a.csv cannot be read: The hub may not read it: permission denied.'],
    ])
    expect(Object.keys(folder.files())).toEqual(['in/archive/b.csv', 'in/reject/a.csv', 'in/reject/a.csv.reason.txt'])
  })
})

/** A folder in which one file may not be read. */
function denying(folder: string, name: string): Transport {
  const inner = createLocalFolder(folder)
  return {
    ...inner,
    use: (signal, work) =>
      inner.use(signal, (all) =>
        work({
          ...all,
          async *read(path, from) {
            if (path.endsWith(name)) throw new FilesError('denied', 'may not be read.')
            yield* all.read(path, from)
          },
        }),
      ),
  }
}

/** A file with a name of Latin 1, as an old ERP gives it, and two good ones; in the order of their names. */
function putWithLatinName(folder: Dropped): void {
  folder.put('products-1.csv', 'extId\nA\n')
  const latin = Buffer.concat([Buffer.from(`${folder.path}/`), Buffer.from('products-1b-\xe5.csv', 'latin1')])
  writeFileSync(latin, 'extId\nB\n')
  folder.put('products-2.csv', 'extId\nC\n')
}

async function expectOthersRead(asking: Asking, folder: Dropped): Promise<void> {
  const first = await asking.run()
  expect(first.accepted.products).toEqual([{ extId: 'A' }, { extId: 'C' }])
  expect(first.refused).toEqual([[expect.stringMatching(/^products-1b-\uFFFD\.csv cannot be read: .*no UTF-8/)]])
  expect((await asking.run()).refused).toEqual([])
  // It is named again where it is taken away and comes again.
  const [latin] = readdirSync(folder.path, { encoding: 'buffer' }).filter((name) => name.includes(0xe5))
  const at = Buffer.concat([Buffer.from(`${folder.path}/`), latin ?? Buffer.alloc(0)])
  rmSync(at)
  folder.put('products-3.csv', 'extId\nD\n')
  expect((await asking.run()).accepted.products).toEqual([{ extId: 'D' }])
  writeFileSync(at, 'extId\nB\n')
  expect((await asking.run()).refused).toHaveLength(1)
}

test('a file whose name is no UTF-8 is named as unreadable once, and the others of its folder are read', async () => {
  await using folder = openDropped()
  putWithLatinName(folder)
  await using asking = openAsking(folder.path, PRODUCTS)
  await expectOthersRead(asking, folder)
})

describeSftp('files on an SFTP server', (server) => {
  test('a file there whose name is no UTF-8 is named as unreadable once, and the others are read', async () => {
    await using folder = openDropped()
    putWithLatinName(folder)
    const access = server().access(folder.path)
    const transport = createSftpFolder(access, { connections: 1, timeout: 5_000 })
    await using asking = openAsking(folder.path, PRODUCTS, { transport })
    await expectOthersRead(asking, folder)
  })

  test('When files come there, then they are read as those of a folder are, and it can write there too', async () => {
    await using folder = openDropped()
    mkdirSync(join(folder.path, 'in'))
    const rows = Array.from({ length: 30_000 }, (_, no) => `A,${no},${no % 100}\n`)
    writeFileSync(join(folder.path, 'in/prices.csv'), `list,gtin,price\n${rows.join('')}`)
    const options = files.options.parse({
      sftp: server().access(folder.path),
      read: { prices: { folder: 'in', pattern: '*.csv', settle: '0s' } },
      write: { sale: {} },
    })
    await using adapter = files.create(options, { destination: 'erp', timeout: 5_000, concurrency: 2 })
    const question = { signal: new AbortController().signal }
    const values: unknown[] = []
    let cursor: string | null = null
    for (let more = true; more; ) {
      const page: IntakePage | undefined = await adapter.intake?.poll?.(cursor, question)
      if (!page) throw new Error('It has no intake.')
      values.push(...page.items.map(({ value }) => value))
      const ends = page.items.map(({ value }) => (value.gtin === '12345' ? REFUSED : ACCEPTED))
      await adapter.intake?.taken?.(page, ends, question)
      ;({ cursor, more } = page)
    }

    expect(values).toHaveLength(30_000)
    expect(values.at(-1)).toEqual({ list: 'A', gtin: '29999', price: '99' })
    expect(adapter.ports.backOffice?.bookSale).toBeDefined()
    expect(folder.read('in/reject/prices.csv')).toBe(
      'TillbridgeLine,TillbridgeReason,list,gtin,price\n12347,"no",A,12345,45\n',
    )
    expect(readdirSync(join(folder.path, 'in/archive'))).toEqual(['prices.csv'])
  })
})

const ACCEPTED = { status: 'accepted', faults: [] } as const
const REFUSED = { status: 'refused', faults: ['no'] } as const

test('When thousands of rows of one delivery differ, then the reject file says so with each, and stays about as long as the file', async () => {
  await using folder = openDropped()
  await using asking = openAsking(folder.path, { 'goods-deliveries': { pattern: 'd-*.csv' } })
  const rows = Array.from({ length: 2_000 }, (_, nth) => `D1,1,box ${nth},false,${7_000_000_000_000 + nth},1\n`)
  folder.put('d-1.csv', `extRef,storeNo,comment,insertAsConfirmed,gtin,qty\n${rows.join('')}`)
  const run = await asking.run()
  expect(run.refused).toHaveLength(1)
  expect(bytesOf(folder, 'reject/d-1.csv').length).toBeLessThan(2_000_000)
  const [, first, ...others] = folder.read('reject/d-1.csv').trimEnd().split('\n')
  expect(first).toMatch(
    /^2,"line 3: it has another comment than the rows of D1 before it; line 4: .*; and 1989 more",D1,1,box 0,/,
  )
  expect(others).toHaveLength(1_999)
})
