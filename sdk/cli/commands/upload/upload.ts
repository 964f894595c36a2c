import { CanceledError } from '../../../src/errors.ts'
import type { Asset } from '../../../src/generated/operations.ts'
import { waitUntilReady } from '../../../src/helpers/wait-until-ready.ts'
import { connect } from '../../frame/connect.ts'
import { USAGE } from '../../frame/exit-codes.ts'
import { CommandFailure, describeFailure } from '../../frame/failure.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { formatSeconds, megabytes, ProgressLine } from './progress-line.ts'
import { checkSourceFile } from './source-file.ts'
import { type AssetFields, uploadFile } from './upload-file.ts'

type Options = {
	wait?: true
	title?: string
	collection?: string
	visibility?: AssetFields['visibility']
	chunk?: number
}

export async function run({
	args: [paths],
	options,
	terminal,
}: Invocation<Options, [string[]]>): Promise<void> {
	if (options.title !== undefined && paths.length > 1)
		throw new CommandFailure('--title needs exactly one file; upload the files one by one', USAGE)
	const connection = await connect(options, terminal.env)
	const fields: AssetFields = {
		...(options.title !== undefined && { title: options.title }),
		...(options.collection && { collectionId: options.collection }),
		...(options.visibility && { visibility: options.visibility }),
	}
	const signal = terminal.interruption
	const startedMs = performance.now()
	let uploaded = 0
	let bytes = 0
	for (const [index, path] of paths.entries()) {
		const line = new ProgressLine(terminal)
		const talk = (text: string) => {
			line.clear()
			terminal.talk(text)
		}
		try {
			const file = await checkSourceFile(path)
			const total =
				paths.length > 1 ? `file ${index + 1} of ${paths.length}, ${uploaded} complete` : undefined
			const onSent = (sent: number) => line.show(file.name, sent, file.size, total)
			const chunkBytes = options.chunk && options.chunk * 1024 ** 2
			const asset = await uploadFile(
				connection,
				terminal.env,
				file,
				{ fields, signal, ...(chunkBytes && { chunkBytes }) },
				{ talk, onSent },
			)
			line.clear()
			const ready = options.wait ? await waitWithProgress(asset, line) : asset
			line.clear()
			uploaded += 1
			bytes += file.size
			const { id, status, watchUrl } = ready
			if (options.json)
				terminal.printJson({ file: path, id, status: options.wait ? status : 'uploaded', watchUrl })
			else terminal.print(id)
		} catch (error) {
			line.clear()
			if (error instanceof CanceledError) {
				throw new CommandFailure(
					`stopped at ${path}; run the same command to continue`,
					describeFailure(error).exitCode,
				)
			}
			const { message, exitCode } = describeFailure(error)
			terminal.talk(`playhouse: ${message}`)
			terminal.exitCode ||= exitCode
		}
	}
	const seconds = formatSeconds((performance.now() - startedMs) / 1000)
	if (paths.length > 1)
		terminal.talk(`${uploaded} of ${paths.length} files, ${megabytes(bytes)} MB in ${seconds}`)

	async function waitWithProgress({ id, title }: Asset, line: ProgressLine): Promise<Asset> {
		const show = ({ progress, status }: { progress: number; status: string }) =>
			terminal.stderr.isTTY && line.show(`${title} (${status})`, progress, 100)
		return await waitUntilReady(connection.client, { assetId: id }, { signal, onProgress: show as never })
	}
}
