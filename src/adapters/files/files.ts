import { defineAdapter } from '../adapter.ts'
import { createBackOffice } from './back-office.ts'
import { createLocalFolder } from './local-folder.ts'
import { FilesOptions } from './options.ts'
import { createSftpFolder } from './sftp-folder.ts'
import type { Transport } from './transport.ts'

/** Systems that read files: records of the back office, as files in a folder or on an SFTP server. */
export default defineAdapter({
  name: 'files',
  options: FilesOptions,
  create(options, { destination, concurrency, timeout }) {
    const transport = openFolder(options, { connections: concurrency, timeout })
    const backOffice = createBackOffice(options.write, transport, destination)
    return {
      ports: { backOffice: backOffice.port },
      async [Symbol.asyncDispose]() {
        await backOffice[Symbol.asyncDispose]()
        await transport[Symbol.asyncDispose]()
      },
    }
  },
})

function openFolder({ folder, sftp }: FilesOptions, limits: { connections: number; timeout: number }): Transport {
  return sftp ? createSftpFolder(sftp, limits) : createLocalFolder(folder ?? '')
}
