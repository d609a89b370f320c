//! The run goes back.

use super::{
    Ending, Event, Notice, Ordering, PeCoord, Position, Session, Sought, StepKind, Stop, StopKind, met,
};

impl Session {
    /// Goes back to the line before, of the PE that is looked at.
    pub fn step_back(&mut self) {
        let kind = self.frame().map_or(StepKind::Line, StepKind::LineOver);
        self.back_to_line(kind, "the beginning of the run: this PE has done nothing before");
    }

    fn back_to_line(&mut self, kind: StepKind, otherwise: &str) {
        let (from, focus) = (self.position, self.focus);
        let sought = Sought { step: Some((focus, kind)), ..Sought::default() };
        let mut accept = |event: &Event, _: Position| matches!(event, Event::Notice(Notice::Code { pe, is_step: true, .. }) if *pe == focus);
        match self.timeline.backward(from, &sought, self.pause, &mut accept) {
            Some((event, position)) => self.arrive(&event, position, StopKind::Step, Vec::new()),
            None => self.at_the_start(otherwise),
        }
    }

    pub(super) fn at_the_start(&mut self, text: &str) {
        if self.pause.swap(false, Ordering::Relaxed) {
            self.stop = Stop::new(StopKind::Pause, "stopped on the way back".to_string());
            return;
        }
        self.stand(Position::START, StopKind::Entry, text.to_string());
    }

    /// Goes back to the last moment at which a breakpoint would have stopped the run. From a failure without one, it goes
    /// to the last line that the PE has begun which is to blame.
    pub fn go_back(&mut self) {
        self.count_hits();
        let (from, sought) = (self.position, self.sought());
        let warnings = self.exceptions.warnings;
        let mut all = self.breakpoints.clone();
        let mut accept = |event: &Event, at: Position| met((event, at), &mut all, (None, warnings)).is_some();
        let found = self.timeline.backward(from, &sought, self.pause, &mut accept);
        // What breakpoints write was written on the way forward.
        self.logs.take();
        match found {
            Some((event, position)) => {
                let known = met((&event, position), &mut self.breakpoints, (None, warnings));
                let (kind, ids) = known.unwrap_or((StopKind::Breakpoint, Vec::new()));
                self.arrive(&event, position, kind, ids);
            }
            None if self.is_at_failure() => {
                self.back_to_line(StepKind::Line, "the beginning of the run: this PE has never run any code");
                if self.stop.kind == StopKind::Step {
                    self.stop.text = format!("the last line that {} has begun", self.focus);
                }
            }
            None => self.at_the_start("the beginning of the run: no breakpoint was met before"),
        }
    }

    fn is_at_failure(&self) -> bool {
        let ending = self.timeline.ending();
        ending.is_some_and(|(ending, end)| matches!(ending, Ending::Failed(_)) && self.position == end)
    }

    /// Who has written words of a PE last, as a sentence.
    pub fn last_write(&mut self, pe: PeCoord, (addr, words): (usize, usize)) -> Option<(u64, String)> {
        let sought = Sought { words: vec![(pe, addr, words)], ..Sought::default() };
        let mut accept = |event: &Event, _: Position| matches!(event, Event::Write(on, ..) if *on == pe);
        let found = self.timeline.backward(self.position, &sought, self.pause, &mut accept);
        let Some((Event::Write(_, _, write), _)) = found else { return None };
        let place = write.span.map_or("the host".to_string(), |span| self.program.sources().describe(span));
        Some((write.cycle, place))
    }
}
