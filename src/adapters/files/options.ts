import { z } from 'zod'
import { ReadOptions } from './read-options.ts'
import { SftpOptions } from './sftp-options.ts'
import { WriteOptions } from './write-options.ts'

/** What an operator writes under a destination with `adapter: files`. */
export const FilesOptions = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('Path of a folder of this machine, or of a share that is mounted here.'),
    sftp: SftpOptions.optional().describe('A folder of an SFTP server, in place of one of this machine.'),
    write: WriteOptions.optional().describe(
      'What is written, by kind of record, and how. What is left out is not written here.',
    ),
    read: ReadOptions.optional().describe('What is read, by resource of /v1: files that the system puts there.'),
  })
  .superRefine(({ folder, sftp, write, read }, context) => {
    if ((folder === undefined) === (sftp === undefined))
      context.addIssue({ code: 'custom', path: ['folder'], message: 'Give either folder or sftp.' })
    if (!write && !read) context.addIssue({ code: 'custom', path: ['write'], message: 'Give write, read, or both.' })
  })

export type FilesOptions = z.output<typeof FilesOptions>
