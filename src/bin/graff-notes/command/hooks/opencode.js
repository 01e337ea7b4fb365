// Written by `graff-notes hooks install opencode`, which also updates it; `remove` takes it away.
//
// opencode has no hooks of its own, so this plugin calls `graff-notes hook opencode` for them:
// before each request for the note, which goes into that request's system prompt; before a
// compaction, so that the summary has the agent's note in a section; and after it, to keep that.
import { spawn } from "node:child_process"

// Whatever is asked, of the program or of opencode, has to answer within this.
const DEADLINE_MS = 3000

// So many of the last messages are looked at for what the agent was doing.
const MESSAGES_MAX = 200

// What opencode's own requests for a title and for a summary begin with: they get no note.
const NOT_THE_AGENT = /title generator|context summarization agent/

const call = (event, session, cwd, more = {}) =>
  new Promise((done) => {
    const hook = spawn("graff-notes", ["hook", "opencode"], { cwd, stdio: ["pipe", "pipe", "ignore"] })
    const deadline = setTimeout(() => {
      hook.kill("SIGKILL")
      hook.stdout.destroy() // whatever the program has started may hold it open
      done("")
    }, DEADLINE_MS)
    let out = ""
    hook.stdout.on("data", (data) => (out += data))
    hook.stdin.on("error", () => {})
    hook.on("error", () => done(""))
    hook.on("close", () => {
      clearTimeout(deadline)
      try {
        done(JSON.parse(out).hookSpecificOutput.additionalContext)
      } catch {
        done("") // nothing to say
      }
    })
    hook.stdin.end(JSON.stringify({ hook_event_name: event, session_id: session, cwd, ...more }))
  })

const textOf = (message) =>
  message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")

// A user's message has an object of that name, which says what changed.
const isSummary = ({ info }) => info.role === "assistant" && info.summary === true

// What the mechanical note is made of: the conversation in the shape that the program reads.
const record = ({ info, parts }) => ({
  role: info.role,
  content: parts.flatMap((part) => {
    if (part.type === "text" && !part.synthetic) return [{ type: "text", text: part.text }]
    if (part.type !== "tool") return []
    const { status, input, output, error, metadata } = part.state
    const failed = status === "error" || (metadata?.exit ?? 0) !== 0
    return [
      { type: "tool_use", id: part.callID, name: part.tool, input },
      { type: "tool_result", tool_use_id: part.callID, is_error: failed, content: error ?? output ?? "" },
    ]
  }),
})

// What `ask` comes to; what fails or is late comes to `instead`.
const or = async (instead, ask) => {
  let deadline
  const late = new Promise((_, fail) => (deadline = setTimeout(fail, DEADLINE_MS)))
  try {
    return await Promise.race([ask(), late])
  } catch {
    return instead
  } finally {
    clearTimeout(deadline)
  }
}

// opencode goes on as if there were no plugin, whatever goes wrong in a hook.
const quietly = (hook) => async (...args) => {
  try {
    await hook(...args)
  } catch {}
}

export const GraffNotes = async ({ client, directory }) => {
  const messages = (id, take) =>
    or(undefined, async () => take((await client.session.messages({ path: { id } })).data))

  // The session of an agent that works for another: its context is not kept, so it has no note.
  const asked = new Map()
  const isChild = (id) => {
    const ask = async () => Boolean((await client.session.get({ path: { id } })).data.parentID)
    if (!asked.has(id)) asked.set(id, or(false, ask))
    return asked.get(id)
  }

  return {
    "experimental.chat.system.transform": quietly(async ({ sessionID }, { system }) => {
      if (!sessionID || NOT_THE_AGENT.test((system[0] ?? "").slice(0, 400))) return
      if (await isChild(sessionID)) return
      const note = await call("SystemPrompt", sessionID, directory)
      if (note) system.push(note)
    }),
    "experimental.session.compacting": quietly(async ({ sessionID }, { context }) => {
      if (await isChild(sessionID)) return
      const history = await messages(sessionID, (all) => all.slice(-MESSAGES_MAX).map(record))
      const request = await call("PreCompact", sessionID, directory, { messages: history ?? [] })
      if (request) context.push(request)
    }),
    event: quietly(async ({ event }) => {
      if (event.type !== "session.compacted") return
      const id = event.properties.sessionID
      if (await isChild(id)) return
      const summary = await messages(id, (all) => textOf(all.findLast(isSummary)))
      await call("PostCompact", id, directory, { compact_summary: summary ?? "" })
    }),
  }
}
