import { z } from 'zod'
import { SftpOptions } from '../../folders/sftp/options.ts'
import { ReadOptions } from './read-options.ts'
import { WriteOptions } from './writing/write-options.ts'

/** Options that an operator writes under a destination with `adapter: files`. */
export const FilesOptions = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('Path of a folder of this machine, or of a share that is mounted here.'),
    mode: z
      .enum(['0600', '0640', '0660', '0644', '0664'])
      .optional()
      .describe(
        'With folder: who may read what the hub writes there. 0600, the default: the user that the hub runs as; 0640: its group as well; 0660: its group may change it, too; 0644 and 0664: everybody on the machine may read it.',
      ),
    sftp: SftpOptions.optional().describe('A folder of an SFTP server, in place of one of this machine.'),
    write: WriteOptions.optional().describe(
      'What is written, by kind of record, and how. What is left out is not written here.',
    ),
    read: ReadOptions.optional().describe('What is read, by resource of /v1: files that the system puts there.'),
  })
  .superRefine(({ folder, mode, sftp, write, read }, context) => {
    if ((folder === undefined) === (sftp === undefined))
      context.addIssue({ code: 'custom', path: ['folder'], message: 'Give either folder or sftp.' })
    if (sftp && mode !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['mode'],
        message: 'Is for folder: the server of sftp gives rights itself.',
      })
    if (!write && !read) context.addIssue({ code: 'custom', path: ['write'], message: 'Give write, read, or both.' })
  })

export type FilesOptions = z.output<typeof FilesOptions>
