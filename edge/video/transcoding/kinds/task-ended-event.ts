import type { TaskRow } from '../store/task-row.ts'

export const taskEndedEvent = <Type extends 'asset.clip_ended' | 'asset.speech_task_ended'>(
	type: Type,
	{ id, assetId, orgId }: TaskRow,
) => ({ type, orgId, payload: { assetId, taskId: id } })
