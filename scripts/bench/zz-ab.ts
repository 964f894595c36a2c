import { readWorkerdCpuMs as cpu } from './cpu-time.ts'
import { startWorkers } from './zz-ab-workers.ts'
import { putLoad } from './load.ts'
import { median } from './statistics.ts'
const w = await startWorkers(100)
const cs=(process.env.C??'1').split(',').map(Number)
for (const p0 of process.argv.slice(2)) {
 const path = p0.replace('{id}', w.orgId)
 for (const c of cs) {
  const run=async(who:'ours'|'bare',n:number)=>{const a=await cpu();const r=await putLoad({url:w[who].url+path,headers:{authorization:`Bearer ${w[who].token}`},requests:n,connections:c});return {...r,cpu:(await cpu()-a)/n}}
  const n = path.startsWith('/health')?10000:500
  await run('ours',1000); await run('bare',1000)
  const o:number[]=[],b:number[]=[],r:number[]=[],oc:number[]=[],bc:number[]=[]
  for(let i=0;i<7;i++){const x=await run('ours',n),y=await run('bare',n);o.push(1000/x.perSecond);b.push(1000/y.perSecond);r.push(x.perSecond/y.perSecond);oc.push(x.cpu);bc.push(y.cpu)}
  console.log(p0,'c='+c,'wall ours',median(o).toFixed(3),'bare',median(b).toFixed(3),'ratio',median(r).toFixed(2),'| cpu ours',median(oc).toFixed(3),'bare',median(bc).toFixed(3), 'ratio',(median(bc)/median(oc)).toFixed(2))
 }
}
await w.stop(); process.exit()
