import {
	evictMachine,
	getDiagnostics,
	listMachines,
	pauseMachine,
	readmitMachine,
	setMachinePrice,
	signOffOutdatedMachines,
	startMachine,
} from '#schema/contract/operations/diagnostics.ts'
import { getFleetStats, getInstallationStats, getWorkerStats } from '#schema/contract/operations/stats.ts'
import { buildPage } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import * as machines from '../../video/fleet/machines.ts'
import * as evict from '../../video/transcoding/machine-api/evict-machines.ts'
import { collectSupportBundle } from './bundle/bundle.ts'
import { diagnose, readMachinePage } from './diagnostics.ts'
import { readFleetStats, readWorkerStats } from './stats/stats.ts'
import { findTotals, viewTotals } from './totals/totals.ts'
import { viewDiagnostics, viewMachine } from './view.ts'

export const diagnosticsRoutes: Route[] = [
	serve(getDiagnostics, async ({ deps, query }) => {
		const found = viewDiagnostics(await diagnose(deps))
		return { data: query.bundle ? { ...found, bundle: await collectSupportBundle(deps) } : found }
	}),

	serve(listMachines, async ({ deps, query, request, headers }) => {
		const { rows, connected, findWork, fleetTokenMarks } = await readMachinePage(deps, query)
		const page = buildPage(rows, query, (row) => [row.registeredAt, row.id], request, headers)
		return {
			data: page.map((row) =>
				viewMachine(row, connected, findWork(row.id), { now: deps.now, fleetTokenMarks }),
			),
		}
	}),

	serve(getFleetStats, async ({ deps }) => ({ data: await readFleetStats(deps) })),
	serve(getWorkerStats, async ({ deps }) => ({ data: await readWorkerStats(deps) })),

	serve(getInstallationStats, async ({ deps }) => {
		const totals = await findTotals(deps)
		return { data: totals && viewTotals(totals) }
	}),

	serve(pauseMachine, async ({ deps, params }) => {
		await machines.pauseMachine(deps, params.machineId)
		return { data: { id: params.machineId, paused: true as const } }
	}),

	serve(setMachinePrice, async ({ deps, params: { machineId: id }, body: { hourlyPrice } }) => {
		await machines.setMachinePrice(deps, id, hourlyPrice)
		return { data: { id, hourlyPrice } }
	}),

	serve(startMachine, async ({ deps, params }) => {
		const { machineId: id } = params
		return { data: { id, woken: true as const, ...(await machines.startMachine(deps, id)) } }
	}),

	serve(evictMachine, async ({ deps, params: { machineId: id } }) => {
		const tasksReturned = await evict.evictMachine(deps, id)
		return { data: { id, evicted: true as const, tasksReturned } }
	}),

	serve(readmitMachine, async ({ deps, params: { machineId: id } }) => {
		await machines.readmitMachine(deps, id)
		return { data: { id, evicted: false as const } }
	}),

	serve(signOffOutdatedMachines, async ({ deps }) => ({
		data: await evict.signOffOutdatedMachines(deps),
	})),
]
