import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type MachineProcess, programsIn, startMachine } from '../../../scripts/lib/machine-process.ts'
import { type Fault, type FaultProxy, type Place, startFaultProxy } from './fault-proxy.ts'
import type { FaultSchedule } from './fault-schedule.ts'
import type { PlannedFault } from './faults.ts'
import { fillDisk, withDisk } from './small-disk.ts'

const SLOTS = 2
/** Whoever ends a proof in the middle of a run leaves no machine behind. */
const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--']
const LOOK_MS = 100
const ENCODES_VIDEO = 'libx264'
/** An encoder that is to be struck at work goes on for so long after its last frame. */
const LINGER_SECONDS = 20
/** So long a disk stays full. */
const FULL_MS = 15_000
/** Programs of a machine that was killed are gone by then, also where many others want the processor. */
const GONE_LOOKS = 100
const ARRIVAL_LOOKS = 200
/** Three leases, in which there are some heartbeats. */
const HELD_LOOKS = 300

export type FaultyMachine = {
	proxy: FaultProxy
	/** Programs that went on though their machine was killed, or had ended. */
	orphans: string[]
	/** It has registered; or it was struck before, and some time has passed. */
	arrived(): Promise<void>
	/** What it said of what went wrong. */
	complaints(): string[]
	end(): Promise<void>
}

export type MachineOptions = {
	name: string
	number: number
	folder: string
	edgeUrl: string
	fleetToken: string
	gate: Promise<void>
	schedule: FaultSchedule
	frozenMs: number
	killWorker(): Promise<void>
	/** Of a machine that was killed and can't use them any more: nobody has to wait for their end. */
	endLeases(machine: string): Promise<void>
}

/** The real daemon behind a proxy of its own, started again when it was killed. */
export async function startFaultyMachine(options: MachineOptions): Promise<FaultyMachine> {
	const { name, number, schedule, frozenMs } = options
	const dataDir = join(options.folder, `machine-${name}`)
	await mkdir(dataDir)
	const acting = await actingPrograms(options)
	const disk = diskOf(schedule, number)
	const orphans: string[] = []
	const emptied: Promise<void>[] = []
	const lines: Record<string, unknown>[][] = []
	let ending = false
	let machine: MachineProcess

	const programs = async () =>
		(await programsIn(dataDir)).filter(({ command }) => /\bff(mpeg|probe)\b/.test(command))

	async function expectNoOrphans(): Promise<void> {
		for (let look = 0; look < GONE_LOOKS; look++) {
			if ((await programs()).length === 0) return
			await pause(LOOK_MS * 2)
		}
		for (const { pid, command } of await programs()) {
			orphans.push(command)
			process.kill(pid, 'SIGKILL')
		}
	}

	async function act({ what }: PlannedFault): Promise<void> {
		const struck = machine
		switch (what) {
			case 'kill-machine':
				struck.signal('SIGKILL')
				await struck.ended
				await expectNoOrphans()
				await options.endLeases(name)
				return start()
			case 'freeze-machine':
				struck.signal('SIGSTOP')
				await pause(frozenMs)
				return struck.signal('SIGCONT')
			case 'kill-worker':
				return options.killWorker()
			case 'no-space':
			case 'no-files': {
				const empty = await fillDisk(struck.pid, dataDir, what === 'no-space' ? 'bytes' : 'files')
				emptied.push(
					pause(FULL_MS)
						.then(empty)
						.catch(() => {}),
				)
			}
		}
	}

	async function choose(place: Place): Promise<Fault | undefined> {
		const isEncoding = async () => (await programs()).some(({ command }) => command.includes(ENCODES_VIDEO))
		// Who has stored all sends no heartbeats any more, and chunks of so small a video are soon made.
		if (place.when === 'before' && place.point === 'put')
			for (let look = 0; look < HELD_LOOKS && schedule.isAwaited('heartbeat'); look++) await pause(LOOK_MS)
		const plannedFault = await schedule.onLine({ ...place, isEncoding })
		if (!plannedFault) return undefined
		switch (plannedFault.what) {
			case 'unavailable':
				return { kind: 'status', status: 503 }
			case 'lose':
			case 'double':
			case 'refuse':
				return { kind: plannedFault.what }
			default:
				return { kind: 'act', act: () => act(plannedFault) }
		}
	}

	const proxy = await startFaultProxy({ target: options.edgeUrl, gate: options.gate, choose })
	const start = () => {
		if (ending) return
		machine = startMachine({
			edgeUrl: proxy.url,
			fleetToken: options.fleetToken,
			dataDir,
			name,
			env: { PLAYHOUSE_SLOTS: `${SLOTS}`, ...acting },
			before: [...WITH_PARENT, ...(disk ? withDisk(dataDir, disk) : [])],
		})
		lines.push(machine.lines)
	}
	start()

	const over = new AbortController()
	/** A program that has stopped itself waits here for what is to happen at that instant. */
	const watch = (async () => {
		while (acting.FFPROBE_PATH && !over.signal.aborted) {
			for (const { pid } of (await programs()).filter(({ isStopped }) => isStopped)) {
				const plannedFault = schedule.atProbe()
				if (plannedFault) await act(plannedFault)
				goOn(pid)
			}
			await pause(LOOK_MS)
		}
	})()

	return {
		proxy,
		orphans,
		async arrived() {
			for (let look = 0; look < ARRIVAL_LOOKS; look++) {
				if (lines.flat().some(({ message }) => message === 'registered')) return
				await pause(LOOK_MS)
			}
		},
		complaints: () => lines.flat().flatMap((line) => (line.level === 'info' ? [] : [JSON.stringify(line)])),
		async end() {
			if (ending) return
			ending = true
			over.abort()
			await watch
			const small = schedule.ofDisk(number)
			if (small && lines.flat().some(({ message }) => message === 'the disk is full'))
				schedule.noteFelt(small)
			machine.signal('SIGTERM')
			await machine.ended
			await expectNoOrphans()
			await Promise.all(emptied)
			await proxy.close()
		},
	}
}

/** A disk of its own only where a fault is about one: it goes when its machine is killed. */
function diskOf(schedule: FaultSchedule, number: number): 'roomy' | 'tiny' | null {
	if (schedule.ofDisk(number)) return 'tiny'
	return schedule.plannedFaults.some(({ what, at }) => /^no-/.test(what) && at.who !== 'start')
		? 'roomy'
		: null
}

/** Programs that know one encoder, as trials of all take long; some wait for what is to happen to them. */
async function actingPrograms({
	folder,
	name,
	number,
	schedule,
}: MachineOptions): Promise<Record<string, string>> {
	const { FFMPEG_PATH: ffmpeg = '/usr/bin/ffmpeg', FFPROBE_PATH: ffprobe = '/usr/bin/ffprobe' } = process.env
	const write = async (program: string, lines: string) => {
		const path = join(folder, `${program}-${name}`)
		await writeFile(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
		return path
	}
	const others = 'case "$*" in *libx265*|*svtav1*|*_nvenc*|*_qsv*|*_vaapi*|*hwaccel*) exit 1 ;; esac'
	const plain = `${others}\nexec ${ffmpeg} "$@"`
	const lingering = [
		`case "$HOME $*" in */tsk_*${ENCODES_VIDEO}*)`,
		// Killed with the shell, as ffmpeg itself is killed with the daemon.
		`${WITH_PARENT.join(' ')} ${ffmpeg} "$@"; code=$?`,
		`${WITH_PARENT.join(' ')} sleep ${LINGER_SECONDS}; exit $code ;; esac`,
	].join('\n')
	const isStruckAtWork = schedule.plannedFaults.some(({ at }) => at.who === 'line' && at.whileEncoding)
	// So small a picture may be encoded before its first segment has arrived anywhere. One machine is enough.
	const isLingering = isStruckAtWork && number === 0
	const env: Record<string, string> = {
		FFMPEG_PATH: await write('ffmpeg', isLingering ? `${lingering}\n${plain}` : plain),
	}
	// Stops itself when it is started for a task, before it reads anything.
	if (schedule.plannedFaults.some(({ at }) => at.who === 'probe')) {
		const stop = 'case "$HOME" in */tsk_*) kill -STOP $$ ;; esac'
		env.FFPROBE_PATH = await write('ffprobe', `${stop}\nexec ${ffprobe} "$@"`)
	}
	return env
}

function goOn(pid: number): void {
	try {
		process.kill(pid, 'SIGCONT')
	} catch {
		// It went with its machine.
	}
}

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
