import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { createSftpFolder } from '../../../src/folders/sftp.ts'
import { readAll } from '../../../src/folders/transport.ts'
import { eventually } from '../../../test/eventually.ts'
import files from '../src/files.ts'
import { type Erp, inFile, onlyError, openErp, openErpFolder } from './kit.ts'
import { describeSftp, makeKey, startSftpServer } from './sshd.ts'

describeSftp('files on an SFTP server', (server) => {
  const openAt = (folder: string, given: Record<string, unknown> = {}): Erp =>
    openErp({ sftp: { ...server().access(folder), ...given } })

  test('When two hubs write into one folder, then no file is lost and none is there twice', async () => {
    await using folder = openErpFolder()
    await using one = openAt(folder.path)
    await using other = openAt(folder.path)
    const numbers = Array.from({ length: 10 }, (_, index) => String(index))
    const notes = await Promise.all(numbers.flatMap((no) => [one.sell([`a${no}`]), other.sell([`b${no}`])]))
    expect(new Set(notes.flat()).size).toBe(20)
    expect(folder.names()).toHaveLength(20)
    expect(server().connections()).toBeLessThanOrEqual(8)
  })

  test('When a person is looked for, then files that say them are named, deep and long ones too, and a server that is off is one that was not looked through', async () => {
    await using folder = openErpFolder()
    mkdirSync(join(folder.path, 'taken', 'by-erp'), { recursive: true })
    writeFileSync(join(folder.path, 'sales.csv'), `EA-9;${'x'.repeat(300_000)};Zebedæus Qvistgaardsen\n`)
    writeFileSync(join(folder.path, 'others.csv'), 'EA-8;Kari Nordmann\n')
    writeFileSync(join(folder.path, 'taken/by-erp/old.txt'), Buffer.from('Zebedæus Qvistgaardsen', 'latin1'))
    const names = ['Zebedæus Qvistgaardsen', 'zebedaeus@canary.example.com']
    const open = (given: object) =>
      files.create(
        files.options.parse({ sftp: { ...server().access(folder.path), ...given }, write: { movement: {} } }),
        {
          destination: 'erp',
          timeout: 2_000,
          concurrency: 1,
        },
      )
    const search = async (instance: ReturnType<typeof open>) => {
      await using _ = instance
      return await instance.search?.(names, AbortSignal.timeout(10_000))
    }
    const found = await search(open({}))
    expect(found?.unread).toEqual([])
    expect(found?.saying.map((file) => file.replace(/^sftp:.*\/(?=sales|taken)/, '')).sort()).toEqual([
      'sales.csv',
      'taken/by-erp/old.txt',
    ])
    expect(await search(open({ port: 1 }))).toMatchObject({ saying: [], unread: [expect.stringMatching(/^sftp:/)] })
  })

  test('When a file is large, then it arrives as it is, and is read as it is', async () => {
    await using folder = openErpFolder()
    await using transport = createSftpFolder(server().access(folder.path), { connections: 1, timeout: 5_000 })
    const content = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 251))
    const read = await transport.use(new AbortController().signal, async (files) => {
      await files.create('large', content)
      await files.create('empty', Buffer.alloc(0))
      return [await readAll(files, 'large'), await readAll(files, 'empty')]
    })
    expect(readFileSync(join(folder.path, 'large')).equals(content)).toBe(true)
    expect(read).toEqual([content.toString(), ''])
  })

  test('When the server does what a folder of this machine does, then it says the same', async () => {
    await using folder = openErpFolder()
    await using transport = createSftpFolder(server().access(folder.path), { connections: 1, timeout: 5_000 })
    await transport.use(new AbortController().signal, async (files) => {
      await files.makeFolder('archive')
      await files.makeFolder('archive')
      await files.create('a', Buffer.from('a'))
      await expect(files.create('a', Buffer.from('b'))).rejects.toMatchObject({ fault: 'exists' })
      await expect(files.create('none/a', Buffer.from('b'))).rejects.toMatchObject({ fault: 'missing' })
      await expect(files.makeFolder('a')).rejects.toMatchObject({ fault: 'failed' })
      await expect(files.list('none')).rejects.toMatchObject({ fault: 'missing' })
      await files.rename('a', 'archive/a')
      await files.remove('a')
      expect(await files.stat('a')).toBe(null)
      expect(await files.list('')).toMatchObject([{ name: 'archive', type: 'folder' }])
      const { mtimeMs } = statSync(join(folder.path, 'archive/a'))
      expect(await files.list('archive')).toEqual([
        { name: 'a', size: 1, type: 'file', modifiedAt: Math.floor(mtimeMs / 1000) * 1000 },
      ])
      await files.remove('archive/a')
      await files.removeFolder('archive')
      expect(await files.list('')).toEqual([])
    })
  })

  test('When it cannot rename over a file, nor be told to write to its disk, then files come to their place all the same', async () => {
    await using plain = await startSftpServer({ without: ['posix-rename', 'fsync'] })
    await using folder = openErpFolder()
    const sftp = plain.access(folder.path)
    await using erp = openErp({ sftp })
    await using transport = createSftpFolder(sftp, { connections: 1, timeout: 5_000 })
    expect(await erp.sell(['1'])).toEqual([inFile('sale-101-2026-08-03')])
    expect(await erp.sell(['2'])).toEqual([inFile('sale-101-2026-08-03')])
    const [one = '', other = ''] = folder.names()
    await transport.use(new AbortController().signal, async (files) => {
      await expect(files.rename(one, other)).rejects.toMatchObject({ fault: 'exists' })
    })
    expect(folder.read(one)).not.toBe(folder.read(other))
  })

  describe('who is there', () => {
    const OTHER = `SHA256:${'A'.repeat(43)}`

    test('When the server shows another host key, then nothing is sent, and it says which', async () => {
      await using folder = openErpFolder()
      await using erp = openAt(folder.path, { hostKey: OTHER })
      const error = onlyError(await erp.sell(['1']))
      expect(error).toMatchObject({ name: 'RetryLaterError', scope: 'destination', code: 'files-host-key' })
      expect(error.message).toContain(`shows the host key ${server().hostKey}, which is not the one of sftp.hostKey`)
      expect(folder.everything()).toEqual([])
    })

    test('When the key or the password is refused, then the queue waits, and no secret is shown', async () => {
      const keys = mkdtempSync(join(tmpdir(), 'tillbridge-key-'))
      const privateKey = makeKey(join(keys, 'other'), 'open sesame')
      rmSync(keys, { recursive: true })
      const none = { privateKey: undefined }
      const refused = [
        { privateKey, passphrase: 'open sesame' },
        { ...none, password: 'correct horse' },
        { privateKey, passphrase: 'open the door' },
      ]
      for (const given of refused) {
        await using erp = openAt('/tmp', given)
        const error = onlyError(await erp.sell(['1']))
        expect(error).toMatchObject({ scope: 'destination', code: 'files-login' })
        expect(error.message).toMatch(/^erp: sftp:\/\/127\.0\.0\.1:\d+\/tmp (refuses|was not asked)/)
        const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })
        for (const secret of ['sesame', 'correct horse', 'open the door', privateKey.slice(100, 140)])
          expect(shown).not.toContain(secret)
      }
    })

    test('When the private key comes in one line with \\n, as an environment has it, then it is read', async () => {
      await using folder = openErpFolder()
      await using erp = openAt(folder.path, { privateKey: server().privateKey.trim().replaceAll('\n', '\\n') })
      expect(await erp.sell(['1'])).toEqual([inFile('sale-101-2026-08-03')])
    })

    test('When nobody listens, or it is no SSH server, then the queue waits', async () => {
      const deaf = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
      await eventually(() => deaf.listening)
      const address = deaf.address()
      for (const port of [1, typeof address === 'object' ? address?.port : 0]) {
        await using erp = openAt('/tmp', { port })
        expect(onlyError(await erp.sell(['1']))).toMatchObject({ scope: 'destination', code: 'files-unreachable' })
      }
      deaf.close()
    })
  })

  describe('outage', () => {
    test('When the server is gone and comes again, then the next attempt connects anew', async () => {
      await using folder = openErpFolder()
      await using erp = openAt(folder.path)
      await erp.sell(['1'])
      await server().stop()
      expect(onlyError(await erp.sell(['2']))).toMatchObject({ scope: 'destination', code: 'files-unreachable' })
      await server().start()
      expect(await erp.sell(['2'])).toEqual([inFile('sale-101-2026-08-03')])
    })

    test('When the server stops answering, then an aborted attempt ends at once, and the next one passes', async () => {
      await using folder = openErpFolder()
      await using erp = openAt(folder.path)
      await erp.sell(['1'])
      server().freeze(true)
      const controller = new AbortController()
      const selling = erp.sell(['2'], { signal: controller.signal })
      const since = performance.now()
      setTimeout(() => controller.abort(), 50)
      expect(onlyError(await selling)).toMatchObject({ scope: 'destination', code: 'files-aborted' })
      // The server would never answer.
      expect(performance.now() - since).toBeLessThan(5_000)
      server().freeze(false)
      expect(await erp.sell(['2'])).toEqual([inFile('sale-101-2026-08-03')])
    })
  })

  describe('connections', () => {
    test('When many calls come, then there are no more connections than the queue makes calls', async () => {
      await using folder = openErpFolder()
      // Those of the test before.
      await eventually(() => server().connections() === 0)
      await using erp = openErp({ sftp: server().access(folder.path) }, { concurrency: 2 })
      let most = 0
      const watch = setInterval(() => {
        most = Math.max(most, server().connections())
      }, 1)
      await Promise.all(Array.from({ length: 12 }, (_, index) => erp.sell([String(index)])))
      clearInterval(watch)
      expect(folder.names()).toHaveLength(12)
      expect([1, 2]).toContain(most)
    })

    test('When nobody has used it for a minute, then a connection is closed, and the next call makes another', async () => {
      await using folder = openErpFolder()
      await using erp = openAt(folder.path)
      await eventually(() => server().connections() === 0)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        await erp.sell(['1'])
        vi.advanceTimersByTime(59_000)
        await erp.sell(['2'])
        vi.advanceTimersByTime(59_000)
        expect(server().connections()).toBeGreaterThan(0)
        vi.advanceTimersByTime(1_001)
      } finally {
        vi.useRealTimers()
      }
      await eventually(() => server().connections() === 0)
      expect(await erp.sell(['3'])).toEqual([inFile('sale-101-2026-08-03')])
    })
  })
})
