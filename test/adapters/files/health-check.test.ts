import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import files from '../../../src/adapters/files/files.ts'
import { mountSmallDisk, noSmallDisk, whyNoDisk } from '../../small-disk.ts'
import { look } from '../checked.ts'
import { openErpFolder } from './kit.ts'
import { describeSftp, makeKey } from './sshd.ts'

function adapterOf(written: Record<string, unknown>) {
  const options = files.options.parse({ ...('read' in written ? {} : { write: { sale: {} } }), ...written })
  return files.create(options, { destination: 'erp', timeout: 5_000, concurrency: 2 })
}

describe('a folder of this machine', () => {
  test('When it is there and can be written to, then it says so, with what is free, and leaves nothing', async () => {
    await using folder = openErpFolder()
    await using instance = adapterOf({ folder: folder.path })
    const { states, about } = await look(instance)
    expect(states).toEqual([`folder ${folder.path}: ok`])
    expect(about(`folder ${folder.path}`)).toMatch(/^It can be written to\. [\d.]+ [GM]B are free\.$/)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('When files are read from several folders, then each is looked at: there, not there, or no folder', async () => {
    await using folder = openErpFolder()
    mkdirSync(join(folder.path, 'goods'))
    for (const name of ['products-1.csv', 'products-2.csv', 'notes.txt'])
      writeFileSync(join(folder.path, 'goods', name), '')
    writeFileSync(join(folder.path, 'lists'), '')
    const read = {
      products: { folder: 'goods', pattern: 'products-*.csv' },
      prices: { folder: 'lists', pattern: 'prices-*.csv' },
      'goods-deliveries': { folder: 'out', pattern: '*.ndjson' },
    }
    await using instance = adapterOf({ folder: folder.path, read })
    const { states, about } = await look(instance)
    expect(states).toEqual(['folder goods: ok', 'folder lists: problem', 'folder out: problem'])
    expect(about('folder goods')).toMatch(/^It can be read and written to\. 2 files wait there\./)
    expect(about('folder lists')).toMatch(/^It is no folder\. make it/)
    expect(about('folder out')).toMatch(/^It is not there\. make it, or name another one in config\.$/)
  })

  test.skipIf(noSmallDisk)(`When it is read-only, or its disk nearly full, then that is said${whyNoDisk}`, async () => {
    await using disk = mountSmallDisk(512 * 1024)
    await using instance = adapterOf({ folder: disk.path })
    const about = async () => (await look(instance)).about(`folder ${disk.path}`)
    expect(await about()).toMatch(/^It can be written to\. 0\.\d MB are free\. make room/)
    disk.setReadOnly(true)
    expect(await about()).toMatch(/^It is read-only\. give the user .* right to read, write and delete there\.$/)
    disk.setReadOnly(false)
  })
})

describeSftp('a folder of an SFTP server', (server) => {
  const at = (folder: string, given: Record<string, unknown> = {}) => {
    return adapterOf({ sftp: { ...server().access(folder), ...given } })
  }

  test('When all is right, then host key, login and folder are, and nothing is left', async () => {
    await using folder = openErpFolder()
    await using instance = at(folder.path)
    const { states, about } = await look(instance)
    const name = `folder sftp://127.0.0.1:${server().access(folder.path).port}${folder.path}`
    expect(states).toEqual(['connection: ok', 'credentials: ok', `${name}: ok`])
    expect(about(name)).toMatch(/[\d.]+ [GM]B are free\.$/)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('When config takes any host key, or the folder is not there, then that is said', async () => {
    await using instance = at('/no/such/folder', { hostKey: 'any' })
    const { states, about } = await look(instance)
    expect(states).toEqual(['connection: note', 'credentials: ok', expect.stringMatching(/^folder .*: problem$/)])
    expect(about('connection')).toMatch(/put the fingerprint into sftp\.hostKey: ssh-keyscan/)
  })

  test('When the login is refused, another machine answers, or nobody, then that is said', async () => {
    await using folder = openErpFolder()
    await using stranger = at(folder.path, { privateKey: makeKey(join(folder.path, 'other')) })
    await using other = at(folder.path, { hostKey: `SHA256:${'A'.repeat(43)}` })
    await using nowhere = at(folder.path, { port: 1 })
    const refused = await look(stranger)
    expect(refused.states).toEqual(['credentials: problem'])
    expect(refused.about('credentials')).toMatch(/^It refuses our key or password/)
    expect((await look(other)).about('connection')).toMatch(/^Another machine may answer in its place .*SHA256:/)
    expect((await look(nowhere)).about('connection')).toMatch(/^It cannot be reached .*ECONNREFUSED/)
  })
})
