import { openFolder } from '../../folders/open.ts'
import { defineAdapter } from '../adapter.ts'
import { examineFolders } from './examine.ts'
import { FilesOptions } from './options.ts'
import { createFilesIntake } from './reading/intake.ts'
import { searchFolder } from './searching.ts'
import { createBackOffice } from './writing/back-office.ts'

/**
 * Systems that read and write files, in a folder or on an SFTP server: records of the back office go there, master data,
 * stock and deliveries come from there.
 */
export default defineAdapter({
  name: 'files',
  options: FilesOptions,
  create(options, { destination, concurrency, timeout }) {
    const transport = openFolder(options, { connections: concurrency, timeout })
    const { write, read } = options
    const backOffice = write ? createBackOffice(write, transport, destination) : null
    return {
      // What a process of this machine had begun to write ends with it; a server may go on.
      ...(options.folder !== undefined && { inDoubtFor: 0 }),
      ports: backOffice ? { backOffice: backOffice.port } : {},
      ...(read && { intake: createFilesIntake(read, transport, destination) }),
      search: (texts, signal) => searchFolder(transport, texts, signal),
      examine: ({ signal }) => examineFolders(options, { transport, destination, signal }),
      async [Symbol.asyncDispose]() {
        await backOffice?.[Symbol.asyncDispose]()
        await transport[Symbol.asyncDispose]()
      },
    }
  },
})
