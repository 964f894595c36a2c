import {
	evictMachine,
	getDiagnostics,
	listMachines,
	pauseMachine,
	readmitMachine,
	signOffOutdatedMachines,
	startMachine,
} from '#schema/contract/diagnostics.ts'
import { heartbeatMachine, leaveMachine, registerMachine } from '#schema/contract/fleet.ts'
import { credentialOf } from '../http/auth.ts'
import { pageOf, positionOf } from '../http/page.ts'
import { type Route, serve } from '../http/route.ts'
import { iso } from '../platform/clock.ts'
import { readMachineWork } from '../stats/stats.ts'
import { connectRoute } from './connect.ts'
import { diagnose } from './diagnostics.ts'
import * as machines from './machines.ts'
import { viewDiagnostics, viewMachine } from './view.ts'

export const diagnosticsRoutes: Route[] = [
	serve(getDiagnostics, async ({ deps }) => ({ data: viewDiagnostics(await diagnose(deps)) })),

	serve(
		registerMachine,
		async ({ deps, body: { fingerprint, name, protocol: _, startHook = null, ...capabilities } }) => {
			const { id, token, expiresAt } = await machines.registerMachine(deps, {
				fingerprint,
				name,
				capabilities,
				startHook,
			})
			return { data: { id, token, expiresAt: iso(expiresAt), heartbeatSeconds: machines.HEARTBEAT_SECONDS } }
		},
	),

	serve(heartbeatMachine, async ({ deps, caller, body, request }) => {
		const shown = credentialOf(request.headers)?.value ?? ''
		const token = await machines.noteHeartbeat(deps, caller.machineId, body, shown)
		return { data: { ok: true as const, now: iso(deps.now), ...(token && { token }) } }
	}),

	serve(leaveMachine, async ({ deps, caller }) => {
		await machines.leaveFleet(deps, caller.machineId)
		return { data: { id: caller.machineId, left: true as const } }
	}),

	connectRoute,

	serve(listMachines, async ({ deps, query, request, headers }) => {
		const [rows, connected, workOf, fleetTokenMarks] = await Promise.all([
			machines.listMachines(deps, positionOf(query), query.limit),
			machines.findConnected(deps),
			readMachineWork(deps),
			machines.fleetTokenMarks(deps),
		])
		const page = pageOf(rows, query, (row) => [row.registeredAt, row.id], request, headers)
		return {
			data: page.map((row) =>
				viewMachine(row, connected, workOf(row.id), { now: deps.now, fleetTokenMarks }),
			),
		}
	}),

	serve(pauseMachine, async ({ deps, params }) => {
		await machines.pauseMachine(deps, params.machineId)
		return { data: { id: params.machineId, paused: true as const } }
	}),

	serve(startMachine, async ({ deps, params }) => {
		const { machineId: id } = params
		return { data: { id, woken: true as const, ...(await machines.startMachine(deps, id)) } }
	}),

	serve(evictMachine, async ({ deps, params: { machineId: id } }) => {
		const tasksReturned = await machines.evictMachine(deps, id)
		return { data: { id, evicted: true as const, tasksReturned } }
	}),

	serve(readmitMachine, async ({ deps, params: { machineId: id } }) => {
		await machines.readmitMachine(deps, id)
		return { data: { id, evicted: false as const } }
	}),

	serve(signOffOutdatedMachines, async ({ deps }) => ({
		data: await machines.signOffOutdatedMachines(deps),
	})),
]
