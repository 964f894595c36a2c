import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TaskResult, type TaskSpec, VideoCodec } from '#schema/contract/video/tasks.ts'
import { planJob } from '../../../../../edge/video/transcoding/plan/plan.ts'
import { writePresentation } from '../../../../../edge/video/transcoding/presentation/presentation.ts'
import type { TaskOutput } from '../../../../../edge/video/transcoding/presentation/task-output.ts'
import { type TaskTable, tasks as table } from '../../../../../transcoder-daemon/tasks/index.ts'
import type { RunTask, TaskContext } from '../../../../../transcoder-daemon/tasks/task.ts'
import { describeOptions } from '../../../../support/shared/described-source.ts'
import type { Files } from '../../../../support/shared/made-presentation.ts'
import { MemoryOutputs, taskContext } from '../../../../transcoder-daemon/tasks/task-context.ts'

const encoders = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' }

/** Plans a source as the edge does, runs the daemon's tasks and writes the presentation, without the network. */
export async function presentByDaemon(
	source: string,
	directory: string,
	codecs: readonly VideoCodec[] = VideoCodec.options,
): Promise<Files> {
	const files: Files = new Map()
	const run = async (spec: TaskSpec, folder: string) => {
		const workDir = join(directory, folder)
		await mkdir(workDir)
		const outputs = new MemoryOutputs()
		const result = await runTask(table, spec, taskContext(source, workDir, { outputs }))
		for (const [name, bytes] of outputs.stored) files.set(`${folder}/${name}`, bytes)
		return result
	}
	const inspected = await run({ kind: 'inspect', maxDurationSec: 60 }, 'inspect')
	if (inspected.kind !== 'inspect') throw new Error('the source was not inspected')
	const { plan, tasks } = planJob(inspected.info, describeOptions({ codecs, encoders }))
	const outputs: TaskOutput[] = []
	for (const { index, spec } of tasks) {
		const folder = `${spec.kind}${index}-1`
		outputs.push({ folder, index, result: await run(spec, folder) })
	}
	const presentation = writePresentation(plan, outputs)
	if (!presentation?.isWhole || presentation.unfit.length > 0)
		throw new Error('the presentation is not whole')
	for (const { name, text } of presentation.files) files.set(name, Buffer.from(text))
	return files
}

function runTask(table: TaskTable, spec: TaskSpec, context: TaskContext): Promise<TaskResult> {
	const run = table[spec.kind] as RunTask<never> | undefined
	if (!run) throw new Error(`no runner for ${spec.kind}`)
	return run(spec as never, context)
}
