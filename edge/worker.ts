import { createApp } from './app.ts'
import { runScheduled } from './cron.ts'
import { contributions } from './features.ts'
import { buildDeps } from './platform/deps.ts'
import { type Bindings, parseEnv } from './platform/env.ts'
import { consumeBatch } from './queue.ts'

export { BackupDrill } from './operations/backups/drill/drill-object.ts'
export { LiveStreams } from './platform/live-streams/live-streams.ts'
export { Metrics } from './platform/metrics/metrics-object.ts'
export { Fleet } from './video/fleet/fleet-object.ts'
export { ResumableUpload } from './video/uploads/tus/upload-object.ts'
export { OrgAnalytics } from './watch/analytics/org/org-object.ts'
export { PlaybackSessions } from './watch/analytics/sessions/session-object.ts'

const app = createApp()

export default {
	fetch: app.fetch,
	async queue(batch, bindings, ctx) {
		await consumeBatch(
			batch,
			buildDeps(parseEnv(bindings), contributions, (work) => ctx.waitUntil(work)),
		)
	},
	async scheduled(event, bindings, ctx) {
		// A delayed run must select what was due at its scheduled time.
		const outside = { now: event.scheduledTime }
		const deps = buildDeps(parseEnv(bindings), contributions, (work) => ctx.waitUntil(work), outside)
		await runScheduled(event.cron, deps)
	},
} satisfies ExportedHandler<Bindings>
