import { z } from 'zod'
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
    write: WriteOptions.describe('What is written, by kind of record, and how. What is left out is not written here.'),
  })
  .superRefine(({ folder, sftp }, context) => {
    if ((folder === undefined) === (sftp === undefined))
      context.addIssue({ code: 'custom', path: ['folder'], message: 'Give either folder or sftp.' })
  })

export type FilesOptions = z.output<typeof FilesOptions>
