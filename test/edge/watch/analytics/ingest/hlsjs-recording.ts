const SID = '58af67d2-7036-4b2c-94b3-7c9bf22a0f39'

/**
 * What hls.js 1.7.4 in Chromium sent to an event target with the events `ps`, `e`, `t` (every three seconds) and `bc`,
 * one request for each record. The viewer waited, started, and saw a stall, then paused, played on, sought, and watched to
 * the end. Only the playback id is replaced.
 */
export const recordedByHlsJs = (playbackId: string, sid = SID): string[] =>
	records.map((record) => record.replace('PLAYBACK', playbackId).replace('SID', sid))

const records = [
	'cid="PLAYBACK",e=t,sf=h,sid="SID",sn=0,ts=1795493330654,v=2',
	'cid="PLAYBACK",e=ps,sf=h,sid="SID",sn=1,sta=d,ts=1795493330662,v=2',
	'br=(300),cid="PLAYBACK",e=bc,mtp=(500),sf=h,sid="SID",sn=2,sta=d,ts=1795493330850,v=2',
	'bl=(0),br=(900),cid="PLAYBACK",e=bc,mtp=(500),sf=h,sid="SID",sn=3,st=v,sta=d,ts=1795493331411,v=2',
	'bl=(6000),br=(900),cid="PLAYBACK",e=ps,mtp=(7300),sf=h,sid="SID",sn=4,st=v,sta=s,ts=1795493332279,v=2',
	'bl=(6000),br=(900),cid="PLAYBACK",e=ps,mtp=(7300),sf=h,sid="SID",sn=5,st=v,sta=p,ts=1795493332282,v=2',
	'bl=(6000),br=(900),cid="PLAYBACK",e=t,mtp=(7300),sf=h,sid="SID",sn=6,st=v,sta=p,ts=1795493333656,v=2',
	'bl=(3900),br=(900),cid="PLAYBACK",e=t,mtp=(14500),sf=h,sid="SID",sn=7,st=v,sta=p,ts=1795493336655,v=2',
	'bl=(1900),br=(900),cid="PLAYBACK",e=t,mtp=(14500),sf=h,sid="SID",sn=8,st=v,sta=p,ts=1795493339655,v=2',
	'bl=(1900),br=(900),cid="PLAYBACK",e=ps,mtp=(1200),sf=h,sid="SID",sn=9,st=v,sta=r,ts=1795493342247,v=2',
	'bl=(1900),br=(900),cid="PLAYBACK",e=t,mtp=(1200),sf=h,sid="SID",sn=10,st=v,sta=r,ts=1795493342655,v=2',
	'bl=(1900),br=(900),cid="PLAYBACK",e=ps,mtp=(1200),sf=h,sid="SID",sn=11,st=v,sta=a,ts=1795493343299,v=2',
	'bl=(2000),br=(300),cid="PLAYBACK",e=bc,mtp=(1200),ot=v,sf=h,sid="SID",sn=12,st=v,sta=a,ts=1795493343387,v=2',
	'bl=(4000),br=(300),cid="PLAYBACK",e=ps,mtp=(600),sf=h,sid="SID",sn=13,st=v,sta=p,ts=1795493344807,v=2',
	'bl=(6000),br=(900),cid="PLAYBACK",e=bc,mtp=(1000),ot=v,sf=h,sid="SID",sn=14,st=v,sta=p,ts=1795493344869,v=2',
	'bl=(6000),br=(900),cid="PLAYBACK",e=t,mtp=(1000),sf=h,sid="SID",sn=15,st=v,sta=p,ts=1795493345655,v=2',
	'bl=(6000),br=(900),cid="PLAYBACK",e=ps,mtp=(1000),sf=h,sid="SID",sn=16,st=v,sta=k,ts=1795493346335,v=2',
	'bl=(6000),br=(900),cid="PLAYBACK",e=ps,mtp=(1000),sf=h,sid="SID",sn=17,st=v,sta=r,ts=1795493346338,v=2',
	'bl=(6000),br=(300),cid="PLAYBACK",e=bc,mtp=(1000),ot=v,sf=h,sid="SID",sn=18,st=v,sta=r,ts=1795493346340,v=2',
	'bl=(6000),br=(300),cid="PLAYBACK",e=ps,mtp=(1300),sf=h,sid="SID",sn=19,st=v,sta=p,ts=1795493346347,v=2',
	'bl=(3000),br=(900),cid="PLAYBACK",e=bc,mtp=(1300),ot=v,sf=h,sid="SID",sn=20,st=v,sta=p,ts=1795493346369,v=2',
	'bl=(4900),br=(900),cid="PLAYBACK",e=t,mtp=(1500),sf=h,sid="SID",sn=21,st=v,sta=p,ts=1795493348655,v=2',
	'bl=(4900),br=(900),cid="PLAYBACK",e=ps,mtp=(1500),sf=h,sid="SID",sn=22,st=v,sta=e,ts=1795493351334,v=2',
	'bl=(4900),br=(900),cid="PLAYBACK",e=t,mtp=(1500),sf=h,sid="SID",sn=23,st=v,sta=e,ts=1795493351655,v=2',
]
