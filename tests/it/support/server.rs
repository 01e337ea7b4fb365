//! A model's endpoint on the loopback: it answers from a script, and records what it was sent.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use serde_json::Value;

/// The endpoint. It serves one connection at a time, and stops when dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// What the endpoint answers to a request.
pub(crate) enum Answer {
    /// This, at once.
    At(u16, Value),
    /// Nothing before the test lets it: see [`hanging`].
    Hanging { arrived: mpsc::Sender<()>, released: mpsc::Receiver<(u16, Value)> },
}

/// The test's end of a hanging answer.
pub(crate) struct Hanging {
    arrived: mpsc::Receiver<()>,
    release: mpsc::Sender<(u16, Value)>,
}

/// Makes an answer up once the script is empty.
type Improvise = Box<dyn FnMut(&Value) -> (u16, Value) + Send>;

#[derive(Default)]
struct Shared {
    script: VecDeque<Answer>,
    improvised: Option<Improvise>,
    requests: Vec<Value>,
    stopping: bool,
}

/// Returns an answer that hangs, and what lets it go.
pub(crate) fn hanging() -> (Answer, Hanging) {
    let (arrived, arrival) = mpsc::channel();
    let (release, released) = mpsc::channel();
    (Answer::Hanging { arrived, released }, Hanging { arrived: arrival, release })
}

impl Hanging {
    /// Waits until the request is there.
    #[track_caller]
    pub(crate) fn wait(&self) {
        self.arrived.recv().expect("the request comes");
    }

    /// Lets the answer go; whoever asked may have gone.
    pub(crate) fn release(&self, status: u16, body: Value) {
        let _ = self.release.send((status, body));
    }
}

impl Server {
    pub(crate) fn start(script: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let script = script.into_iter().collect();
        let shared = Arc::new(Mutex::new(Shared { script, ..Shared::default() }));
        let serving = Arc::clone(&shared);
        let thread = thread::spawn(move || serve(&listener, &serving));
        Self { address, shared, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Adds to the script.
    pub(crate) fn then(&self, answers: impl IntoIterator<Item = Answer>) {
        lock(&self.shared).script.extend(answers);
    }

    /// Makes answers up from now on, wherever the script is empty.
    pub(crate) fn improvise(&self, answers: impl FnMut(&Value) -> (u16, Value) + Send + 'static) {
        lock(&self.shared).improvised = Some(Box::new(answers));
    }

    /// Returns the bodies of all requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        lock(&self.shared).requests.clone()
    }

    /// Returns how many requests there were so far.
    pub(crate) fn count(&self) -> usize {
        lock(&self.shared).requests.len()
    }

    /// Returns how many answers of the script are left.
    pub(crate) fn left(&self) -> usize {
        lock(&self.shared).script.len()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        lock(&self.shared).stopping = true;
        // The thread waits for a connection: this one tells it to look.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let served = thread.join();
            if !thread::panicking() {
                served.expect("the server does not panic");
            }
        }
    }
}

fn serve(listener: &TcpListener, shared: &Mutex<Shared>) {
    for stream in listener.incoming().map_while(Result::ok) {
        if lock(shared).stopping {
            return;
        }
        let Some(body) = receive(&stream) else { continue };
        let answer = {
            let mut shared = lock(shared);
            shared.requests.push(body.clone());
            match (shared.script.pop_front(), &mut shared.improvised) {
                (None, Some(improvised)) => {
                    let (status, answer) = improvised(&body);
                    Some(Answer::At(status, answer))
                }
                (scripted, _) => scripted,
            }
        };
        let (status, body) = match answer {
            Some(Answer::At(status, body)) => (status, body),
            Some(Answer::Hanging { arrived, released }) => {
                let _ = arrived.send(());
                released.recv().unwrap_or((500, Value::Null))
            }
            None => (500, Value::from("the script holds no more answers")),
        };
        // Whoever asked may have gone.
        let _ = send(&stream, status, &body.to_string());
    }
}

fn receive(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok()?;
            }
            _ if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn send(mut stream: &TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status} As Scripted\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
