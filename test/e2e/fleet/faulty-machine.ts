import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listPrograms, type MachineProcess, startMachine } from '../../../scripts/lib/machine-process.ts'
import { type Fault, type FaultProxy, type Place, startFaultProxy } from './fault-proxy.ts'
import type { FaultSchedule } from './fault-schedule.ts'
import type { PlannedFault } from './faults.ts'
import type { FirstClaims } from './first-claims.ts'
import { fillDisk, withDisk } from './small-disk.ts'

const SLOTS = 2
/** A run that is interrupted leaves no machine process. */
const END_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--']
const POLL_MS = 100
const ENCODES_VIDEO = 'libx264'
/** How long ffmpeg keeps running after its last frame if a fault is to occur while it runs. */
const LINGER_SECONDS = 20
/** How long a disk stays full. */
const FULL_MS = 15_000
/** The programs of a killed machine have ended after so many polls, even if the processor is busy. */
const END_POLLS = 100
const REGISTRATION_POLLS = 200
/** 30 s, in which a machine sends several heartbeats. */
const HEARTBEAT_POLLS = 300

export type FaultyMachine = {
	proxy: FaultProxy
	/** Programs that still ran after their machine was killed or had ended. */
	orphans: string[]
	/** Waits until it has registered, or for some time if a fault prevents that. */
	waitForRegistration(): Promise<void>
	/** The log lines above the level info. */
	complaints(): string[]
	end(): Promise<void>
}

export type MachineOptions = {
	name: string
	number: number
	folder: string
	edgeUrl: string
	fleetToken: string
	claims: FirstClaims
	schedule: FaultSchedule
	frozenMs: number
	killWorker(): Promise<void>
	/** Ends the leases of a machine that was killed, so that the run need not wait for their end. */
	endLeases(machine: string): Promise<void>
}

/** The daemon behind its own proxy; it is restarted when it was killed. */
export async function startFaultyMachine(options: MachineOptions): Promise<FaultyMachine> {
	const { name, number, claims, schedule, frozenMs } = options
	const dataDir = join(options.folder, `machine-${name}`)
	await mkdir(dataDir)
	const wrappers = await writeWrappers(options)
	const disk = diskOf(schedule, number)
	const orphans: string[] = []
	const cleanups: Promise<void>[] = []
	const lines: Record<string, unknown>[][] = []
	let isEnding = false
	let machine: MachineProcess

	const programs = async () =>
		(await listPrograms(dataDir)).filter(({ command }) => /\bff(mpeg|probe)\b/.test(command))

	async function expectNoOrphans(): Promise<void> {
		for (let poll = 0; poll < END_POLLS; poll++) {
			if ((await programs()).length === 0) return
			await pause(POLL_MS * 2)
		}
		for (const { pid, command } of await programs()) {
			orphans.push(command)
			process.kill(pid, 'SIGKILL')
		}
	}

	async function trigger({ what }: PlannedFault): Promise<void> {
		const target = machine
		switch (what) {
			case 'kill-machine':
				target.signal('SIGKILL')
				await target.ended
				await expectNoOrphans()
				await options.endLeases(name)
				return start()
			case 'freeze-machine':
				target.signal('SIGSTOP')
				await pause(frozenMs)
				return target.signal('SIGCONT')
			case 'kill-worker':
				return options.killWorker()
			case 'no-space':
			case 'no-files': {
				const cleanUp = await fillDisk(target.pid, dataDir, what === 'no-space' ? 'bytes' : 'files')
				cleanups.push(
					pause(FULL_MS)
						.then(cleanUp)
						.catch(() => {}),
				)
			}
		}
	}

	async function choose(place: Place): Promise<Fault | undefined> {
		const isEncoding = async () => (await programs()).some(({ command }) => command.includes(ENCODES_VIDEO))
		// Heartbeats end when all outputs are stored, which takes little time with so small a video.
		if (place.when === 'before' && place.point === 'put')
			for (let poll = 0; poll < HEARTBEAT_POLLS && schedule.isAwaited('heartbeat'); poll++)
				await pause(POLL_MS)
		const plannedFault = await schedule.onRequest({ ...place, isEncoding })
		if (!plannedFault) return undefined
		if (plannedFault.at.source === 'request' && plannedFault.at.whileEncoding)
			await writeFile(stopsLingering(options.folder), '')
		switch (plannedFault.what) {
			case 'unavailable':
				return { kind: 'status', status: 503 }
			case 'lose':
			case 'double':
			case 'refuse':
				return { kind: plannedFault.what }
			default:
				return { kind: 'act', act: () => trigger(plannedFault) }
		}
	}

	const proxy = await startFaultProxy({
		target: options.edgeUrl,
		untilClaimable: () => claims.untilClaimable(name),
		onLease: () => claims.onLease(name),
		choose,
	})
	const start = () => {
		if (isEnding) return
		machine = startMachine({
			edgeUrl: proxy.url,
			fleetToken: options.fleetToken,
			dataDir,
			name,
			env: { PLAYHOUSE_SLOTS: `${SLOTS}`, PLAYHOUSE_REMEMBER_TRIALS: 'true', ...wrappers },
			before: [...END_WITH_PARENT, ...(disk ? withDisk(dataDir, disk) : [])],
		})
		lines.push(machine.lines)
	}
	start()

	const stopping = new AbortController()
	/** Triggers the faults of programs that have stopped themselves, then resumes the programs. */
	const watch = (async () => {
		while (wrappers.FFPROBE_PATH && !stopping.signal.aborted) {
			for (const { pid } of (await programs()).filter(({ isStopped }) => isStopped)) {
				const plannedFault = schedule.atProbe()
				if (plannedFault) await trigger(plannedFault)
				resume(pid)
			}
			await pause(POLL_MS)
		}
	})()

	return {
		proxy,
		orphans,
		async waitForRegistration() {
			for (let poll = 0; poll < REGISTRATION_POLLS; poll++) {
				if (lines.flat().some(({ message }) => message === 'registered')) return
				await pause(POLL_MS)
			}
		},
		complaints: () => lines.flat().flatMap((line) => (line.level === 'info' ? [] : [JSON.stringify(line)])),
		async end() {
			if (isEnding) return
			isEnding = true
			stopping.abort()
			await watch
			const diskFault = schedule.diskFault(number)
			if (diskFault && lines.flat().some(({ message }) => message === 'the disk is full'))
				schedule.recordOccurrence(diskFault)
			machine.signal('SIGTERM')
			await machine.ended
			await expectNoOrphans()
			await Promise.all(cleanups)
			await proxy.close()
		},
	}
}

/** A machine has its own disk only if a fault needs one, as the disk is lost when the machine is killed. */
function diskOf(schedule: FaultSchedule, number: number): 'large' | 'small' | null {
	if (schedule.diskFault(number)) return 'small'
	return schedule.plannedFaults.some(({ what, at }) => /^no-/.test(what) && at.source !== 'start')
		? 'large'
		: null
}

/** When this file exists, ffmpeg no longer lingers on any machine: the fault that needs it has occurred. */
const stopsLingering = (folder: string) => join(folder, 'lingers-no-more')

/** Wrappers that support one encoder only, as testing all takes long. Some wait for a fault. */
async function writeWrappers({ folder, name, schedule }: MachineOptions): Promise<Record<string, string>> {
	const { FFMPEG_PATH: ffmpeg = '/usr/bin/ffmpeg', FFPROBE_PATH: ffprobe = '/usr/bin/ffprobe' } = process.env
	const write = async (program: string, lines: string) => {
		const path = join(folder, `${program}-${name}`)
		await writeFile(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
		return path
	}
	const others = 'case "$*" in *libx265*|*svtav1*|*_nvenc*|*_qsv*|*_vaapi*|*hwaccel*) exit 1 ;; esac'
	const plain = `${others}\nexec ${ffmpeg} "$@"`
	const slow = [
		`[ -e ${stopsLingering(folder)} ] || case "$HOME $*" in */tsk_*${ENCODES_VIDEO}*)`,
		// Ends with the shell, as ffmpeg ends with the daemon.
		`${END_WITH_PARENT.join(' ')} ${ffmpeg} "$@"; code=$?`,
		`seconds=0; while [ $seconds -lt ${LINGER_SECONDS} ] && [ ! -e ${stopsLingering(folder)} ]; do`,
		`${END_WITH_PARENT.join(' ')} sleep 1; seconds=$((seconds + 1)); done; exit $code ;; esac`,
	].join('\n')
	const hasFaultWhileEncoding = schedule.plannedFaults.some(
		({ at }) => at.source === 'request' && at.whileEncoding,
	)
	const env: Record<string, string> = {
		// So small a video may be encoded before its first segment is stored.
		FFMPEG_PATH: await write('ffmpeg', hasFaultWhileEncoding ? `${slow}\n${plain}` : plain),
	}
	// Stops itself when it is started for a task, before it reads anything.
	if (schedule.plannedFaults.some(({ at }) => at.source === 'probe')) {
		const stop = 'case "$HOME" in */tsk_*) kill -STOP $$ ;; esac'
		env.FFPROBE_PATH = await write('ffprobe', `${stop}\nexec ${ffprobe} "$@"`)
	}
	return env
}

function resume(pid: number): void {
	try {
		process.kill(pid, 'SIGCONT')
	} catch {
		// It has ended with its machine.
	}
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
